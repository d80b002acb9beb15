import type { GeofenceView } from '@thingwright/contracts/geofences.contract'
import { FENCE_COLOURS, FENCE_LIMITS } from '@thingwright/contracts/geofences.words'
import { Alert, Button, Input, Select, Switch } from 'antd'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { errorFacts } from '../../../../lib/errors.ts'
import { InputNumber } from '../../../../ui/input-number.tsx'
import { GroupsSelect, ManySelect } from '../../../../ui/thing-pickers.tsx'
import css from './fences.module.css'
import type { FenceDraft, ScopeField } from './use-fences.ts'

const SCOPES = ['all', 'deviceIds', 'productIds', 'groupIds', 'tags'] as const

type Point = { lng: number; lat: number }

/** What a fence is called, where it is, in numbers as an alternative to the pointer, and which devices it is for. */
export function FenceForm({
  draft,
  fields,
  error,
  busy,
  onChange,
  onSave,
  onCancel,
}: {
  draft: FenceDraft
  fields: Readonly<Record<string, { message?: string } | undefined>>
  error: unknown
  busy: boolean
  onChange: (to: Partial<FenceDraft>) => void
  onSave: () => void
  onCancel: () => void
}) {
  const { t } = useTranslation('device-map')
  const id = useId()
  const { shape } = draft.drawing
  const setShape = (to: Partial<GeofenceView['shape']>) =>
    onChange({ drawing: { ...draft.drawing, shape: { ...shape, ...to }, held: null } })
  const row = (path: string, label: ReactNode, control: ReactNode, help?: string) => (
    <div className={css.field}>
      <label htmlFor={`${id}-${path}`}>{label}</label>
      {control}
      {help && <small>{help}</small>}
      {complaints(fields, path).map(text => (
        <small key={text} role="alert" className={css.bad}>
          {text}
        </small>
      ))}
    </div>
  )
  const degrees = (value: number | undefined, label: string, most: number, set: (to: number) => void) => (
    <InputNumber
      aria-label={label}
      min={-most}
      max={most}
      value={value}
      onChange={to => typeof to === 'number' && set(to)}
    />
  )
  const pair = (point: Point | undefined, at: number | null, set: (to: Point) => void) => {
    const of = at === null ? t('fence.centre') : t('fence.point', { number: at + 1 })
    return (
      <>
        {degrees(point?.lng, t('fence.lngOf', { of }), 180, lng => set({ lat: 0, ...point, lng }))}
        {degrees(point?.lat, t('fence.latOf', { of }), 90, lat => set({ lng: 0, ...point, lat }))}
      </>
    )
  }
  const points = shape.points ?? []
  return (
    <form
      className={css.fields}
      onSubmit={event => {
        event.preventDefault()
        onSave()
      }}
    >
      <Alert type="info" showIcon title={t(shape.kind === 'circle' ? 'fence.drawCircle' : 'fence.drawPolygon')} />
      {error !== null && Object.keys(fields).length === 0 && (
        <Alert type="error" showIcon role="alert" title={errorFacts(error).message} />
      )}
      {row(
        'name',
        t('fence.name'),
        <Input
          id={`${id}-name`}
          value={draft.name}
          maxLength={64}
          onChange={event => onChange({ name: event.target.value })}
        />,
      )}
      {shape.kind === 'circle' ? (
        <>
          {row(
            'shape.centre',
            t('fence.centre'),
            <span className={css.pair}>{pair(shape.centre, null, centre => setShape({ centre }))}</span>,
          )}
          {row(
            'shape.radius',
            t('fence.radius'),
            <InputNumber
              id={`${id}-shape.radius`}
              min={1}
              max={FENCE_LIMITS.radius}
              suffix={t('fence.metres')}
              value={shape.radius}
              onChange={radius => typeof radius === 'number' && setShape({ radius })}
            />,
          )}
        </>
      ) : (
        row(
          'shape.points',
          t('fence.points', { count: points.length }),
          <>
            {points.map((point, at) => (
              // Points have no names of their own; their place tells them apart.
              <span key={at} className={css.pair}>
                {pair(point, at, to => setShape({ points: points.with(at, to) }))}
                <Button
                  type="text"
                  aria-label={t('fence.removePoint', { number: at + 1 })}
                  onClick={() => setShape({ points: points.toSpliced(at, 1) })}
                >
                  ×
                </Button>
              </span>
            ))}
            <Button
              disabled={points.length >= FENCE_LIMITS.points}
              onClick={() => setShape({ points: [...points, points.at(-1) ?? draft.middle] })}
            >
              {t('fence.addPoint')}
            </Button>
          </>,
        )
      )}
      {row(
        'colour',
        t('fence.colour'),
        <span className={css.colours}>
          {[...new Set([...FENCE_COLOURS, draft.colour])].map(colour => (
            <button
              key={colour}
              type="button"
              aria-pressed={draft.colour === colour}
              aria-label={t('fence.colourOf', { colour })}
              className={css.colour}
              style={{ backgroundColor: colour }}
              onClick={() => onChange({ colour })}
            />
          ))}
        </span>,
      )}
      {row(
        'scope',
        t('fence.scope'),
        <>
          <Select
            id={`${id}-scope`}
            value={draft.scopeField}
            options={SCOPES.map(value => ({ value, label: t(`fence.scopes.${value}`) }))}
            onChange={(scopeField: ScopeField) => onChange({ scopeField, scopeValues: [] })}
          />
          <ScopeValues id={`${id}-values`} draft={draft} onChange={scopeValues => onChange({ scopeValues })} />
        </>,
        t('fence.scopeHelp'),
      )}
      {row(
        'remark',
        t('fence.remark'),
        <Input.TextArea
          id={`${id}-remark`}
          value={draft.remark}
          maxLength={512}
          autoSize={{ minRows: 2, maxRows: 4 }}
          onChange={event => onChange({ remark: event.target.value })}
        />,
      )}
      {row(
        'enabled',
        t('fence.enabled'),
        <span>
          <Switch id={`${id}-enabled`} checked={draft.enabled} onChange={(enabled: boolean) => onChange({ enabled })} />
        </span>,
      )}
      <span className={css.tools}>
        <Button type="primary" htmlType="submit" loading={busy} disabled={draft.name.trim() === ''}>
          {t('fence.save')}
        </Button>
        <Button onClick={onCancel}>{t('fence.cancel')}</Button>
      </span>
    </form>
  )
}

function ScopeValues({ id, draft, onChange }: { id: string; draft: FenceDraft; onChange: (values: string[]) => void }) {
  const { t } = useTranslation('device-map')
  const { scopeField, scopeValues: value } = draft
  const placeholder = t('fence.choose')
  if (scopeField === 'all') return null
  if (scopeField === 'groupIds')
    return <GroupsSelect id={id} value={value} onChange={onChange} disabled={false} placeholder={placeholder} />
  if (scopeField === 'tags')
    return (
      <Select
        id={id}
        aria-label={t('fence.scopes.tags')}
        mode="tags"
        open={false}
        suffixIcon={null}
        tokenSeparators={[',', '，']}
        value={value}
        placeholder={placeholder}
        onChange={onChange}
      />
    )
  return (
    <ManySelect
      kind={scopeField === 'deviceIds' ? 'device' : 'product'}
      id={id}
      value={value}
      onChange={onChange}
      disabled={false}
      placeholder={placeholder}
    />
  )
}

/** What the server says of a field, or of what is below it. */
function complaints(fields: Parameters<typeof FenceForm>[0]['fields'], path: string): string[] {
  const found = Object.entries(fields).flatMap(([key, problem]) =>
    (key === path || key.startsWith(`${path}.`)) && problem?.message ? [problem.message] : [],
  )
  return [...new Set(found)]
}
