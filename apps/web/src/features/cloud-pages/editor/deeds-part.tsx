import {
  DEEDS,
  type DeedKind,
  EVENTS,
  type EventName,
  kindOf,
  type SceneEvent,
  type SceneNode,
} from '@thingwright/scene'
import { Checkbox, Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { InputNumber } from '../../../ui/input-number.tsx'
import { changed } from './document.ts'
import css from './editor.module.css'
import { Field } from './field.tsx'
import { Items, type PartProps } from './property-items.tsx'
import { PointSelect, RoleSelect, scalarOfText } from './source-field.tsx'

const WRITES: readonly DeedKind[] = ['set', 'toggle', 'add']

/** What happens when a visitor does something with the element. */
export function DeedsPart({ store, scene, node, mayWrite }: PartProps & { node: SceneNode }) {
  const { t } = useTranslation('cloud-pages')
  const set = (over: Partial<SceneNode>) => store.getState().change(changed(scene, new Set([node.id]), () => over))
  const role = scene.roles[0]?.key ?? ''
  return (
    <Items<SceneEvent>
      title={t('deeds')}
      items={node.events}
      disabled={!mayWrite}
      add={() =>
        role === ''
          ? { on: 'click', do: 'url', url: '' }
          : {
              on: kindOf(node.kind)?.group === 'controls' && node.kind !== 'button' ? 'change' : 'click',
              do: 'set',
              role,
              point: '',
            }
      }
      onChange={events => set({ events })}
    >
      {(event, change) => (
        <>
          <div className={css.fields}>
            <Select
              size="small"
              aria-label={t('on')}
              value={event.on}
              options={EVENTS.map(value => ({ value, label: t(`events.${value}`) }))}
              onChange={(on: EventName) => change({ ...event, on })}
            />
            <Select
              size="small"
              aria-label={t('do')}
              value={event.do}
              options={DEEDS.map(value => ({ value, label: t(`deedKinds.${value}`) }))}
              onChange={(deed: DeedKind) =>
                change({
                  on: event.on,
                  do: deed,
                  ...(WRITES.includes(deed) || deed === 'device'
                    ? { role: event.role ?? role, point: event.point ?? '' }
                    : {}),
                })
              }
            />
          </div>
          {(WRITES.includes(event.do) || event.do === 'device') && (
            <RoleSelect scene={scene} value={event.role ?? ''} onChange={next => change({ ...event, role: next })} />
          )}
          {WRITES.includes(event.do) && (
            <PointSelect
              scene={scene}
              role={event.role ?? ''}
              value={event.point ?? ''}
              writable
              onChange={point => change({ ...event, point })}
            />
          )}
          {(event.do === 'set' || event.do === 'add') && (
            <div className={css.fields}>
              <Field label={t('valueToWrite')} wide>
                <Input
                  size="small"
                  placeholder={t('valueOfControl')}
                  value={event.value === undefined ? '' : String(event.value)}
                  onChange={({ target }) => {
                    const { value: _, ...rest } = event
                    change(target.value === '' ? rest : { ...rest, value: scalarOfText(target.value) })
                  }}
                />
              </Field>
              {(['min', 'max'] as const).map(key => (
                <Field label={t(key)} key={key}>
                  <InputNumber
                    size="small"
                    value={event[key] ?? null}
                    style={{ width: '100%' }}
                    onChange={value => {
                      const { [key]: _, ...rest } = event
                      change(value === null ? rest : { ...rest, [key]: value })
                    }}
                  />
                </Field>
              ))}
            </div>
          )}
          {event.do === 'page' && (
            <Input
              size="small"
              aria-label={t('suffix')}
              value={event.page ?? ''}
              onChange={({ target }) => change({ ...event, page: target.value })}
            />
          )}
          {event.do === 'url' && (
            <Input
              size="small"
              aria-label={t('link')}
              placeholder="https://"
              value={event.url ?? ''}
              onChange={({ target }) => change({ ...event, url: target.value })}
            />
          )}
          {(event.do === 'page' || event.do === 'url') && (
            <Checkbox
              checked={event.newTab === true}
              onChange={({ target }) => change({ ...event, newTab: target.checked })}
            >
              {t('newTab')}
            </Checkbox>
          )}
          {event.do === 'dialog' && (
            <Select
              size="small"
              aria-label={t('shownElement')}
              placeholder={t('shownElement')}
              value={event.node}
              options={scene.nodes
                .filter(({ hidden }) => hidden)
                .map(({ id, name }) => ({ value: id, label: name || id }))}
              onChange={target => change({ ...event, node: target })}
            />
          )}
          <Field label={t('confirmText')}>
            <Input
              size="small"
              maxLength={200}
              placeholder={t('noConfirm')}
              value={event.confirm ?? ''}
              onChange={({ target }) => {
                const { confirm: _, ...rest } = event
                change(target.value === '' ? rest : { ...rest, confirm: target.value })
              }}
            />
          </Field>
        </>
      )}
    </Items>
  )
}
