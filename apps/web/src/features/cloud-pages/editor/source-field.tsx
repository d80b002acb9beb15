import {
  AGGREGATES,
  type Aggregate,
  ExpressionError,
  parseExpression,
  type Scalar,
  type Scene,
  SOURCES,
  type Source,
  SPANS,
  type Span,
} from '@thingwright/scene'
import { Input, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { InputNumber } from '../../../ui/input-number.tsx'
import css from './editor.module.css'
import { usePoints } from './use-points.ts'

const STARTS: Record<Source['from'], (role: string) => Source> = {
  property: role => ({ from: 'property', role, point: '' }),
  expression: () => ({ from: 'expression', text: '' }),
  aggregate: role => ({ from: 'aggregate', role, point: '', fn: 'avg', span: 'today' }),
  alarm: role => ({ from: 'alarm', role }),
  online: role => ({ from: 'online', role }),
  api: () => ({ from: 'api', url: '', path: '', seconds: 60 }),
  constant: () => ({ from: 'constant', value: null }),
}

/** A typed text as the value that is meant: numbers and truth values are no texts. */
export function scalarOfText(text: string): Scalar {
  const plain = text.trim()
  if (plain === 'true') return true
  if (plain === 'false') return false
  return plain !== '' && Number.isFinite(Number(plain)) ? Number(plain) : text
}

/** Which property of the role's device. */
export function PointSelect({
  scene,
  role,
  value,
  onChange,
  writable = false,
}: {
  scene: Scene
  role: string
  value: string
  onChange(point: string): void
  writable?: boolean
}) {
  const { t } = useTranslation('cloud-pages')
  const points = usePoints(scene.roles.find(each => each.key === role)?.deviceId ?? null)
  const options = points
    .filter(point => !writable || point.writable)
    .map(point => ({ value: point.identifier, label: `${point.name} (${point.identifier})` }))
  const known = options.some(option => option.value === value)
  return (
    <Select
      size="small"
      aria-label={t('point')}
      placeholder={t('point')}
      showSearch
      optionFilterProp="label"
      value={value === '' ? undefined : value}
      // A property that the model has no longer is shown as such and stays until another is chosen.
      {...(value !== '' && !known && points.length > 0 ? { status: 'error' as const } : {})}
      options={value !== '' && !known ? [{ value, label: value }, ...options] : options}
      onChange={onChange}
    />
  )
}

export function RoleSelect({ scene, value, onChange }: { scene: Scene; value: string; onChange(role: string): void }) {
  const { t } = useTranslation('cloud-pages')
  return (
    <Select
      size="small"
      aria-label={t('role')}
      placeholder={t('role')}
      value={value === '' ? undefined : value}
      options={scene.roles.map(role => ({ value: role.key, label: role.name || role.key }))}
      onChange={onChange}
    />
  )
}

/** Where a value comes from. */
export function SourceField({
  scene,
  value,
  onChange,
}: {
  scene: Scene
  value: Source
  onChange(source: Source): void
}) {
  const { t } = useTranslation('cloud-pages')
  const role = 'role' in value ? value.role : (scene.roles[0]?.key ?? '')
  return (
    <div className={css.fields}>
      <Select
        size="small"
        aria-label={t('source')}
        value={value.from}
        options={SOURCES.map(from => ({ value: from, label: t(`sources.${from}`) }))}
        onChange={(from: Source['from']) => onChange(STARTS[from](role))}
      />
      {'role' in value && (
        <RoleSelect scene={scene} value={value.role} onChange={next => onChange({ ...value, role: next })} />
      )}
      {(value.from === 'property' || value.from === 'aggregate') && (
        <div className={css.wide} style={{ display: 'grid' }}>
          <PointSelect
            scene={scene}
            role={value.role}
            value={value.point}
            onChange={point => onChange({ ...value, point })}
          />
        </div>
      )}
      {value.from === 'aggregate' && (
        <>
          <Select
            size="small"
            aria-label={t('figure')}
            value={value.fn}
            options={AGGREGATES.map(fn => ({ value: fn, label: t(`figures.${fn}`) }))}
            onChange={(fn: Aggregate) => onChange({ ...value, fn })}
          />
          <Select
            size="small"
            aria-label={t('span')}
            value={value.span}
            options={SPANS.map(span => ({ value: span, label: t(`spans.${span}`) }))}
            onChange={(span: Span) => onChange({ ...value, span })}
          />
        </>
      )}
      {value.from === 'expression' && (
        <ExpressionField value={value.text} onChange={text => onChange({ ...value, text })} />
      )}
      {value.from === 'api' && (
        <>
          <Input
            className={css.wide ?? ''}
            size="small"
            aria-label={t('apiUrl')}
            placeholder="https://"
            value={value.url}
            onChange={event => onChange({ ...value, url: event.target.value })}
          />
          <Input
            size="small"
            aria-label={t('apiPath')}
            placeholder={t('apiPath')}
            value={value.path}
            onChange={event => onChange({ ...value, path: event.target.value })}
          />
          <InputNumber
            size="small"
            aria-label={t('apiSeconds')}
            min={10}
            max={86_400}
            suffix="s"
            value={value.seconds}
            onChange={seconds => onChange({ ...value, seconds: seconds ?? 60 })}
            style={{ width: '100%' }}
          />
        </>
      )}
      {value.from === 'constant' && (
        <Input
          size="small"
          aria-label={t('constant')}
          value={String(value.value ?? '')}
          onChange={event => onChange({ ...value, value: scalarOfText(event.target.value) })}
        />
      )}
    </div>
  )
}

function ExpressionField({ value, onChange }: { value: string; onChange(text: string): void }) {
  const { t } = useTranslation('cloud-pages')
  let wrong: string | null = null
  if (value !== '')
    try {
      parseExpression(value)
    } catch (error) {
      wrong = error instanceof ExpressionError ? t('expressionWrong', { at: error.at + 1 }) : String(error)
    }
  return (
    <div className={css.wide}>
      <Input.TextArea
        size="small"
        autoSize={{ minRows: 1, maxRows: 4 }}
        aria-label={t('expression')}
        placeholder="round(pump.level * 100 / 4, 1)"
        value={value}
        maxLength={500}
        {...(wrong ? { status: 'error' as const } : {})}
        onChange={event => onChange(event.target.value)}
      />
      {wrong && <div className={css.wrong}>{wrong}</div>}
    </div>
  )
}
