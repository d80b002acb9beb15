import {
  type LinearMap,
  type ModelProblem,
  type Property,
  type PropertyMapping,
  parseModel,
  reversed,
  SENSOR_KINDS,
  type SensorKindName,
  sensorKind,
  sensorKindOf,
  type ThingEvent,
  type ThingModel,
  type ThingService,
} from '@thingwright/thing-model'
import { Button, Drawer, Segmented } from 'antd'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Field, Values } from '../../../ui/schema-form/field.ts'
import { SchemaForm } from '../../../ui/schema-form/schema-form.tsx'
import { useUnsavedGuard } from '../../../ui/schema-form/unsaved-guard.tsx'
import { useSchemaForm } from '../../../ui/schema-form/use-schema-form.ts'
import { eventFields, propertyFields, quickFields, serviceFields } from '../model/feature-fields.ts'
import {
  eventValues,
  propertyValues,
  readEvent,
  readProperty,
  readService,
  serviceValues,
} from '../model/feature-values.ts'
import { emptyEvent, emptyService, type Feature, type FeatureList, suggestIdentifier } from '../model/model-edit.ts'
import css from '../products.module.css'
import { IconChoice } from './icon-choice.tsx'
import { ModelProblems } from './model-problems.tsx'

const READ = { properties: readProperty, events: readEvent, services: readService } as const

/** What the form begins with: the part as it is, or an empty one of its kind. */
function beginning(list: FeatureList, item: Feature | null): Values {
  if (list === 'events') return eventValues((item as ThingEvent | null) ?? emptyEvent())
  if (list === 'services') return serviceValues((item as ThingService | null) ?? emptyService())
  if (item) return propertyValues(item as Property)
  const { dataType, access, widget, decimals } = sensorKind('number')
  return propertyValues({
    identifier: '',
    name: '',
    dataType,
    access,
    widget,
    ...(decimals === undefined ? {} : { decimals }),
  })
}

/**
 * One property, event or service. New properties begin in the quick mode: picking a kind fills type, access and
 * control. Nothing is sent: the part goes into the draft on the page.
 */
export function FeatureDrawer({
  list,
  index,
  model,
  onDone,
  onClose,
}: {
  list: FeatureList
  /** Place in its list; null for a new one. */
  index: number | null
  model: ThingModel
  onDone: (item: Feature) => void
  onClose: () => void
}) {
  const { t } = useTranslation('products')
  const item = index === null ? null : (model[list][index] ?? null)
  const taken = useMemo(
    () => (model[list] as Feature[]).filter((_, at) => at !== index).map(other => other.identifier),
    [model, list, index],
  )
  const initial = useMemo(() => beginning(list, item), [list, item])
  const reverse = useRef<() => void>(() => {})
  const widget = list === 'properties' ? (item as Property | null)?.widget : undefined
  const fields = useMemo(
    () =>
      list === 'properties'
        ? [
            ...withReverse(propertyFields(t, taken, widget), t('mapping.reverse'), () => reverse.current()),
            iconField(t('icon')),
          ]
        : list === 'events'
          ? eventFields(t, taken)
          : serviceFields(t, taken),
    [t, list, taken, widget],
  )
  const [quick, setQuick] = useQuickMode(list, item)
  const [quickKind, setQuickKind] = useState<SensorKindName | null>(() =>
    list === 'properties' ? (item ? sensorKindOf(item as Property) : 'number') : null,
  )
  const shown = useMemo(() => (quick ? quickFields(t, taken, quickKind) : fields), [quick, t, taken, quickKind, fields])
  const form = useSchemaForm(shown, initial)
  reverse.current = () => {
    const mapping = (form.values.mapping ?? {}) as PropertyMapping
    const { x1, y1, x2, y2 } = (mapping.up ?? {}) as Partial<LinearMap>
    if ([x1, y1, x2, y2].every(value => typeof value === 'number'))
      form.set('mapping', { ...mapping, down: reversed(mapping.up as LinearMap) })
  }
  const [problems, setProblems] = useState<ModelProblem[]>([])
  const [ended, setEnded] = useState(false)
  const guard = useUnsavedGuard(form.dirty && !ended)
  const suggested = useRef('')
  const kind = form.values.dataType
    ? sensorKindOf({ dataType: form.values.dataType, access: form.values.access } as unknown as Property)
    : null
  useTypeChange(form.values, () => form.set('widget', undefined))

  const choose = (next: SensorKindName) => {
    const { dataType, access, widget, decimals } = sensorKind(next)
    const values = propertyValues({
      identifier: '',
      name: '',
      dataType,
      access,
      widget,
      ...(decimals === undefined ? {} : { decimals }),
    })
    setQuickKind(next)
    form.setAll({
      ...form.values,
      dataType: values.dataType,
      access,
      widget,
      decimals,
      ...(next === 'number' ? {} : { unit: undefined }),
    })
  }
  const suggest = () => {
    const { name, identifier } = form.values
    if (index !== null || (identifier && identifier !== suggested.current) || !name) return
    suggested.current = suggestIdentifier(String(name), kind ?? list.slice(0, -1), taken)
    form.set('identifier', suggested.current)
  }
  const done = () => {
    const sent = form.submit()
    if (sent === null) return
    // What the quick mode does not show stays as it was.
    const values = quick
      ? { ...form.values, ...sent, dataType: { ...(form.values.dataType as Values), ...(sent.dataType as Values) } }
      : sent
    const parsed = parseModel({ [list]: [READ[list](values)] })
    if (!parsed.ok) {
      setProblems(parsed.problems.map(problem => ({ ...problem, path: problem.path.replace(/^\w+\[0\]\.?/, '') })))
      return
    }
    setEnded(true)
    onDone(parsed.model[list][0] as Feature)
  }
  return (
    <Drawer
      open
      size={720}
      title={item ? t(`editOf.${list}`, { name: item.name }) : t(`newOf.${list}`)}
      onClose={() => guard.ask(onClose)}
      footer={
        <div className={css.drawerFoot}>
          <span className={css.footLeft}>{t('draftHint')}</span>
          <Button onClick={() => guard.ask(onClose)}>{t('cancel')}</Button>
          <Button type="primary" onClick={done}>
            {item ? t('take') : t('addToDraft')}
          </Button>
        </div>
      }
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          done()
        }}
        onBlur={suggest}
      >
        {problems.length > 0 && <ModelProblems problems={problems} />}
        {list === 'properties' && (
          <div className={css.kinds}>
            <div className={css.modeRow}>
              <p className={css.lead}>{t('quick.pick')}</p>
              <Segmented
                aria-label={t('mode.label')}
                value={quick ? 'quick' : 'pro'}
                options={[
                  { value: 'quick', label: t('mode.quick') },
                  { value: 'pro', label: t('mode.pro') },
                ]}
                onChange={next => setQuick(next === 'quick')}
              />
            </div>
            <Segmented
              value={kind ?? ''}
              options={SENSOR_KINDS.map(name => ({ value: name, label: t(`sensor.${name}`) }))}
              onChange={next => choose(next as SensorKindName)}
            />
          </div>
        )}
        <SchemaForm form={form} />
        <button type="submit" hidden tabIndex={-1} aria-hidden="true" />
      </form>
      {guard.dialog}
    </Drawer>
  )
}

/** Another data type has other controls: the chosen one is given up when the person changes the type. */
function useTypeChange(values: Values, onChange: () => void): void {
  const type = (values.dataType as Values | undefined)?.type
  const before = useRef({ type, widget: values.widget })
  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => {
    if (before.current.type !== type && before.current.widget === values.widget && values.widget !== undefined)
      latest.current()
    before.current = { type, widget: values.widget }
  }, [type, values.widget])
}

const MODE = 'tw.model.mode'

/** Whether the few fields of the quick mode are shown: as the person chose last, and never for what they cannot say. */
function useQuickMode(list: FeatureList, item: Feature | null): [boolean, (quick: boolean) => void] {
  const fits = list === 'properties' && (item === null || sensorKindOf(item as Property) !== null)
  const [chosen, choose] = useState(() => fits && localStorage.getItem(MODE) === 'quick')
  return [
    fits && chosen,
    quick => {
      localStorage.setItem(MODE, quick ? 'quick' : 'pro')
      choose(quick)
    },
  ]
}

/** Under the two lines, a button that walks the upward one the other way. */
function withReverse(fields: readonly Field[], label: string, onClick: () => void): Field[] {
  return fields.map(field =>
    field.kind === 'object' && field.key === 'mapping'
      ? {
          ...field,
          fields: [
            ...field.fields,
            { kind: 'custom', key: 'reverse', label: '', render: () => <Button onClick={onClick}>{label}</Button> },
          ],
        }
      : field,
  )
}

const iconField = (label: string): Field => ({
  kind: 'custom',
  key: 'icon',
  label,
  render: input => (
    <IconChoice
      id={input.id}
      value={String(input.value ?? '')}
      onChange={svg => input.onChange(svg === '' ? undefined : svg)}
      disabled={input.disabled}
    />
  ),
})
