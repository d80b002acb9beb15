import {
  type Binding,
  EFFECTS,
  type Effect,
  type EffectKind,
  FIT_MODES,
  type FitMode,
  kindOf,
  NOBODY,
  OPERATORS,
  type Operator,
  type Scene,
  type SceneNode,
  type Source,
  withBackground,
} from '@thingwright/scene'
import { ColorPicker, Input, Select, Switch } from 'antd'
import { memo, useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { InputNumber } from '../../../ui/input-number.tsx'
import { DeedsPart } from './deeds-part.tsx'
import { type Box, changed, placed, placeOf } from './document.ts'
import css from './editor.module.css'
import { Field } from './field.tsx'
import { useKindName } from './palette.tsx'
import { PropField } from './prop-field.tsx'
import { Items, type PartProps } from './property-items.tsx'
import { RolesPanel } from './roles-panel.tsx'
import { SourceField, scalarOfText } from './source-field.tsx'
import type { EditorStore } from './store.ts'

const TABS = ['looks', 'data', 'deeds', 'rights'] as const
type Tab = (typeof TABS)[number]

/** What is chosen: its place and looks, what it is bound to, what happens with it, who sees it. Nothing chosen: the page. */
export function Properties({ store, mayWrite }: { store: EditorStore; mayWrite: boolean }) {
  const scene = store(state => state.scene)
  const preview = store(state => state.preview)
  // What is dragged comes first; its numbers follow when there is time.
  const later = useDeferredValue(preview)
  return <PropertiesOf store={store} scene={preview === null ? scene : (later ?? scene)} mayWrite={mayWrite} />
}

const PropertiesOf = memo(function PropertiesOf({ store, scene, mayWrite }: PartProps) {
  const { t } = useTranslation('cloud-pages')
  const selected = store(state => state.selected)
  const [tab, setTab] = useState<Tab>('looks')
  const nodes = scene.nodes.filter(node => selected.has(node.id))
  const node = nodes.length === 1 ? nodes[0]! : null
  const kindName = useKindName()
  if (nodes.length === 0)
    return (
      <aside className={css.right} aria-label={t('pageProperties')}>
        <PagePart store={store} scene={scene} mayWrite={mayWrite} />
        <RolesPanel store={store} mayWrite={mayWrite} />
      </aside>
    )
  const kind = node ? kindOf(node.kind) : undefined
  return (
    <aside className={css.right} aria-label={t('properties')}>
      <div className={css.section} style={{ paddingBottom: 8 }}>
        {node ? (
          <Input
            variant="borderless"
            aria-label={t('elementName')}
            placeholder={kind ? kindName(kind) : node.kind}
            value={node.name}
            maxLength={64}
            disabled={!mayWrite}
            onChange={event =>
              store.getState().change(changed(scene, new Set([node.id]), () => ({ name: event.target.value })))
            }
          />
        ) : (
          <strong>{t('chosenCount', { count: nodes.length })}</strong>
        )}
        {kind && <span className={css.note}>{kindName(kind)}</span>}
      </div>
      <div className={css.tabs} role="tablist">
        {TABS.map(key => (
          <button key={key} type="button" role="tab" aria-selected={tab === key} onClick={() => setTab(key)}>
            {t(`tabs.${key}`)}
          </button>
        ))}
      </div>
      {tab === 'looks' && <LooksPart store={store} scene={scene} nodes={nodes} mayWrite={mayWrite} />}
      {tab === 'data' && node && <DataPart store={store} scene={scene} node={node} mayWrite={mayWrite} />}
      {tab === 'deeds' && node && <DeedsPart store={store} scene={scene} node={node} mayWrite={mayWrite} />}
      {tab === 'rights' && node && <RightsPart store={store} scene={scene} node={node} mayWrite={mayWrite} />}
      {tab !== 'looks' && !node && <p className={css.note}>{t('chooseOne')}</p>}
    </aside>
  )
})

function PagePart({ store, scene, mayWrite }: PartProps) {
  const { t } = useTranslation('cloud-pages')
  const set = (over: Partial<Scene>) => store.getState().change({ ...scene, ...over })
  const size = (key: 'width' | 'height') => (
    <Field label={t(key)}>
      <InputNumber
        size="small"
        min={100}
        max={10_000}
        precision={0}
        value={scene[key]}
        disabled={!mayWrite}
        onChange={value => value !== null && set({ [key]: value })}
        style={{ width: '100%' }}
      />
    </Field>
  )
  return (
    <section className={css.section}>
      <h3>{t('pageProperties')}</h3>
      <div className={css.fields}>
        {size('width')}
        {size('height')}
        <Field label={t('background')}>
          <ColorPicker
            size="small"
            value={scene.background}
            disabled={!mayWrite}
            onChangeComplete={colour => store.getState().change(withBackground(scene, colour.toHexString()))}
            showText
          />
        </Field>
        <Field label={t('fit')}>
          <Select
            size="small"
            value={scene.fit}
            disabled={!mayWrite}
            options={FIT_MODES.map(value => ({ value, label: t(`fits.${value}`) }))}
            onChange={(fit: FitMode) => set({ fit })}
          />
        </Field>
        <Field label={t('gridSize')}>
          <InputNumber
            size="small"
            min={1}
            max={500}
            precision={0}
            value={scene.grid.size}
            disabled={!mayWrite}
            onChange={value => value !== null && set({ grid: { ...scene.grid, size: value } })}
            style={{ width: '100%' }}
          />
        </Field>
        <Field label={t('snap')}>
          <Switch
            size="small"
            checked={scene.grid.snap}
            disabled={!mayWrite}
            onChange={snap => set({ grid: { ...scene.grid, snap } })}
          />
        </Field>
        <Field label={t('hosts')} wide>
          <Select
            size="small"
            mode="tags"
            tokenSeparators={[',', ' ']}
            value={scene.hosts}
            disabled={!mayWrite}
            placeholder={t('hostsHelp')}
            open={false}
            onChange={hosts => set({ hosts: hosts.slice(0, 20) })}
          />
        </Field>
      </div>
    </section>
  )
}

function LooksPart({ store, scene, nodes, mayWrite }: PartProps & { nodes: readonly SceneNode[] }) {
  const { t } = useTranslation('cloud-pages')
  const ids = new Set(nodes.map(({ id }) => id))
  const set = (change: (node: SceneNode) => Partial<SceneNode>) => store.getState().change(changed(scene, ids, change))
  const first = nodes[0]!
  const hasGroup = nodes.some(({ kind }) => kind === 'group')
  const places = nodes.map(node => ({ ...placeOf(scene, node), r: node.r }))
  const numberAt = (key: keyof Box | 'r') =>
    places.every(place => place[key] === places[0]![key]) ? places[0]![key] : null
  const same = nodes.every(({ kind }) => kind === first.kind)
  const kind = same ? kindOf(first.kind) : undefined
  const bound = new Set(nodes.flatMap(({ bind }) => bind.map(({ prop }) => prop)))
  return (
    <>
      <section className={css.section}>
        <h3>{t('place')}</h3>
        <div className={css.fields}>
          {(['x', 'y', 'w', 'h', 'r'] as const).map(key => (
            <InputNumber
              key={key}
              size="small"
              prefix={key === 'r' ? '°' : key.toUpperCase()}
              aria-label={t(`places.${key}`)}
              {...(key === 'w' || key === 'h' ? { min: 1 } : {})}
              disabled={!mayWrite || (key === 'r' && hasGroup)}
              value={numberAt(key)}
              onChange={value =>
                value !== null &&
                (key === 'r' ? set(() => ({ r: value })) : store.getState().change(placed(scene, ids, key, value)))
              }
              style={{ width: '100%' }}
            />
          ))}
        </div>
      </section>
      {kind && kind.props.length > 0 && (
        <section className={css.section}>
          <h3>{t('tabs.looks')}</h3>
          <div className={css.fields}>
            {kind.props.map(prop => (
              <PropField
                key={prop.key}
                kind={first.kind}
                prop={prop}
                disabled={!mayWrite || bound.has(prop.key)}
                value={Object.hasOwn(first.props, prop.key) ? first.props[prop.key]! : prop.value}
                onChange={value => set(node => ({ props: { ...node.props, [prop.key]: value } }))}
              />
            ))}
          </div>
        </section>
      )}
    </>
  )
}

function DataPart({ store, scene, node, mayWrite }: PartProps & { node: SceneNode }) {
  const { t } = useTranslation('cloud-pages')
  const set = (over: Partial<SceneNode>) => store.getState().change(changed(scene, new Set([node.id]), () => over))
  const kind = kindOf(node.kind)
  const role = scene.roles[0]?.key ?? ''
  const start: Source = role === '' ? { from: 'constant', value: null } : { from: 'property', role, point: '' }
  return (
    <>
      {scene.roles.length === 0 && <p className={css.note}>{t('noRoles')}</p>}
      {kind !== undefined && kind.props.length > 0 && (
        <Items<Binding>
          title={t('bindings')}
          items={node.bind}
          disabled={!mayWrite}
          add={() => ({ prop: kind?.main || 'value', source: start })}
          onChange={bind => set({ bind })}
        >
          {(binding, change) => (
            <>
              <Select
                size="small"
                aria-label={t('property')}
                value={binding.prop}
                options={(kind?.props ?? []).map(({ key }) => ({ value: key, label: t(`props.${key}`) }))}
                onChange={prop => change({ ...binding, prop })}
              />
              <SourceField scene={scene} value={binding.source} onChange={source => change({ ...binding, source })} />
            </>
          )}
        </Items>
      )}
      <Items<Effect>
        title={t('effects')}
        items={node.effects}
        disabled={!mayWrite}
        add={() => ({ effect: 'blink', source: start, when: 'true' })}
        onChange={effects => set({ effects })}
      >
        {(effect, change) => (
          <>
            <Select
              size="small"
              aria-label={t('effect')}
              value={effect.effect}
              options={EFFECTS.map(value => ({ value, label: t(`effectKinds.${value}`) }))}
              onChange={(value: EffectKind) => change({ ...effect, effect: value })}
            />
            <SourceField scene={scene} value={effect.source} onChange={source => change({ ...effect, source })} />
            <div className={css.fields}>
              <Select
                size="small"
                aria-label={t('when')}
                value={effect.when}
                options={OPERATORS.map(value => ({ value, label: t(`operators.${value}`) }))}
                onChange={(when: Operator) => change({ ...effect, when })}
              />
              {effect.when !== 'true' && effect.when !== 'false' && (
                <Input
                  size="small"
                  aria-label={t('limit')}
                  value={String(effect.value ?? '')}
                  onChange={event => change({ ...effect, value: scalarOfText(event.target.value) })}
                />
              )}
              {effect.when === 'between' && (
                <InputNumber
                  size="small"
                  aria-label={t('upTo')}
                  value={effect.to ?? null}
                  onChange={to => to !== null && change({ ...effect, to })}
                  style={{ width: '100%' }}
                />
              )}
              {effect.effect === 'colour' && (
                <ColorPicker
                  size="small"
                  value={effect.colour ?? '#fa541c'}
                  onChangeComplete={colour => change({ ...effect, colour: colour.toHexString() })}
                />
              )}
              {effect.effect === 'move' &&
                (['dx', 'dy'] as const).map(key => (
                  <InputNumber
                    key={key}
                    size="small"
                    prefix={key.slice(1).toUpperCase()}
                    aria-label={t(`places.${key}`)}
                    value={effect[key] ?? 0}
                    onChange={value => change({ ...effect, [key]: value ?? 0 })}
                    style={{ width: '100%' }}
                  />
                ))}
            </div>
          </>
        )}
      </Items>
    </>
  )
}

function RightsPart({ store, scene, node, mayWrite }: PartProps & { node: SceneNode }) {
  const { t } = useTranslation('cloud-pages')
  const may = useMay('roles.list')
  const roles = useRead('roles.list', {}, { enabled: may })
  const set = (over: Partial<SceneNode>) => store.getState().change(changed(scene, new Set([node.id]), () => over))
  const own = (roles.data?.items ?? []).map(role => ({ value: role.id, label: role.name }))
  // Of a page that came from elsewhere, or of a role that was deleted.
  const gone = [...new Set([...node.show, ...node.operate])].flatMap(id =>
    id === NOBODY
      ? [{ value: id, label: t('nobody') }]
      : roles.data && !own.some(({ value }) => value === id)
        ? [{ value: id, label: t('roleGone') }]
        : [],
  )
  const options = [...gone, ...own]
  return (
    <section className={css.section}>
      {(['show', 'operate'] as const).map(key => (
        <Field label={t(`rights.${key}`)} key={key}>
          <Select
            size="small"
            mode="multiple"
            optionFilterProp="label"
            placeholder={t('everybody')}
            disabled={!mayWrite || !may}
            value={node[key]}
            options={options}
            onChange={value => set({ [key]: value })}
          />
        </Field>
      ))}
      <p className={css.note}>{t('rightsHelp')}</p>
    </section>
  )
}
