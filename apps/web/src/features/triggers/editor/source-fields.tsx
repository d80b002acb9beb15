import { OBJECT_SOURCES, SOURCE_CARD_STATES } from '@thingwright/contracts/triggers.words'
import { Input, Select } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { InputNumber } from '../../../ui/input-number.tsx'
import type { Draft } from '../draft.ts'
import css from '../triggers.module.css'
import { Row } from './row.tsx'

type Source = Draft['source']

const FRESH: Record<Source['type'], Source> = {
  'sim.usage': { type: 'sim.usage', percent: 80 },
  'sim.status': { type: 'sim.status', state: 'stopped' },
  'sim.imei_changed': { type: 'sim.imei_changed' },
  'sim.offline_days': { type: 'sim.offline_days', days: 3 },
  'sim.expiring': { type: 'sim.expiring', days: 30 },
  'lora.gateway': { type: 'lora.gateway', state: 'offline' },
  'camera.alarm': { type: 'camera.alarm' },
}
/** Lines of usage that are offered; any other can be typed. */
const LINES = [50, 80, 100]

/** What a trigger about cards, gateways or cameras waits for. */
export function SourceFields({ source, onChange }: { source: Source; onChange: (source: Source) => void }) {
  const { t } = useTranslation('triggers')
  const id = useId()
  const { type, percent, days, state, alarmType } = source
  const whole = (field: 'percent' | 'days', value: number | undefined, max: number) => (
    <Row label={t(`source.${field}`)} htmlFor={`${id}-${field}`} path={`source.${field}`} required>
      <InputNumber
        id={`${id}-${field}`}
        className={css.number ?? ''}
        min={1}
        max={max}
        precision={0}
        value={value}
        suffix={t(`source.${field}Unit`)}
        onChange={to => typeof to === 'number' && onChange({ ...source, [field]: to })}
      />
      {field === 'percent' && (
        <Select
          aria-label={t('source.lines')}
          className={css.short ?? ''}
          value={LINES.includes(value ?? 0) ? value : null}
          placeholder={t('source.lines')}
          options={LINES.map(line => ({ value: line, label: `${line}%` }))}
          onChange={line => onChange({ ...source, percent: Number(line) })}
        />
      )}
    </Row>
  )
  return (
    <>
      <Row label={t('source.title')} htmlFor={`${id}-type`} path="source.type" help={t('source.help')} required>
        <Select
          id={`${id}-type`}
          value={type}
          options={OBJECT_SOURCES.map(value => ({ value, label: t(`source.types.${NAME[value]}`) }))}
          onChange={(next: Source['type']) => onChange(FRESH[next])}
        />
      </Row>
      {type === 'sim.usage' && whole('percent', percent, 1000)}
      {(type === 'sim.offline_days' || type === 'sim.expiring') && whole('days', days, 366)}
      {(type === 'sim.status' || type === 'lora.gateway') && (
        <Row label={t('source.state')} htmlFor={`${id}-state`} path="source.state" required>
          <Select
            id={`${id}-state`}
            value={state}
            options={(type === 'sim.status' ? SOURCE_CARD_STATES : (['offline', 'online'] as const)).map(value => ({
              value,
              label: t(`source.states.${value}`),
            }))}
            onChange={next => onChange({ ...source, state: String(next) })}
          />
        </Row>
      )}
      {type === 'camera.alarm' && (
        <Row label={t('source.alarmType')} htmlFor={`${id}-alarm`} path="source.alarmType" help={t('source.anyAlarm')}>
          <Input
            id={`${id}-alarm`}
            maxLength={64}
            value={alarmType ?? ''}
            onChange={event => onChange(event.target.value === '' ? { type } : { type, alarmType: event.target.value })}
          />
        </Row>
      )}
    </>
  )
}

/** Types as their texts are called. */
export const NAME = {
  'sim.usage': 'usage',
  'sim.status': 'status',
  'sim.imei_changed': 'imei',
  'sim.offline_days': 'offline',
  'sim.expiring': 'expiring',
  'lora.gateway': 'gateway',
  'camera.alarm': 'camera',
} as const satisfies Record<Source['type'], string>
