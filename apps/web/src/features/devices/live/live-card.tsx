import { CheckOutlined, CloseOutlined } from '@ant-design/icons'
import type { Property } from '@thingwright/thing-model/model'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatDuration } from '../../../lib/format.ts'
import { locale } from '../../../lib/i18n.ts'
import { nameOf } from '../../../ui/schema-form/from-thing-model.ts'
import { StatusDot } from '../../../ui/status-tag.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import { controlOf, isChartable, isStepped } from './control-kind.ts'
import css from './live.module.css'
import { PropertyControl } from './property-control.tsx'
import { DAY } from './spark-window.ts'
import { Sparkline } from './sparkline.tsx'
import type { Reading } from './use-latest.ts'
import type { WriteState } from './use-property-writer.ts'
import type { Spark } from './use-sparklines.ts'
import { valueWords } from './value-text.ts'

export interface LiveCardProps {
  property: Property
  reading: Reading | undefined
  write: WriteState | undefined
  spark: Spark | undefined
  /** The live connection has been down for long: the value may be old. */
  stale: boolean
  mayCommand: boolean
  onSet: (identifier: string, value: unknown) => void
  onForm: (identifier: string) => void
  onCancel: (identifier: string) => void
  onDismiss: (identifier: string) => void
  onHistory: (identifier: string) => void
}

const QUALITY = { good: 'online', uncertain: 'warning', bad: 'error' } as const

/** One property: what it is now, how it went, and where it can be set, its control. */
export const LiveCard = memo(function LiveCard(props: LiveCardProps) {
  const { property, reading, write, spark, stale } = props
  const { t } = useTranslation('devices')
  const english = locale() === 'en'
  const [first] = useState(reading?.ts)
  const name = nameOf(property, english)
  const shown = write && write.phase !== 'refused' ? write.value : reading?.value
  const { text, unit } = valueWords(property, reading?.value, { english, yes: t('yes'), no: t('no') })
  const control = props.mayCommand ? controlOf(property) : 'none'
  const chartable = isChartable(property)
  const long = text.length > 12
  const { identifier } = property
  return (
    <article
      className={`${css.liveCard} ${stale ? css.stale : ''}`}
      data-property={identifier}
      data-quality={reading?.quality}
      aria-label={name}
    >
      {reading && reading.ts !== first && <span key={reading.ts} className={css.flash} />}
      <header className={css.liveHead}>
        <span className={css.liveName} title={`${name} · ${identifier}`} dir="auto">
          {name}
        </span>
        {reading && reading.quality !== 'good' && (
          <span className={css.quality} data-quality={reading.quality} title={t(`quality.${reading.quality}`)}>
            {t(`qualityShort.${reading.quality}`)}
          </span>
        )}
        {control === 'switch' && (
          <PropertyControl
            property={property}
            value={shown}
            busy={write?.phase === 'sending' || write?.phase === 'waiting'}
            onSet={value => props.onSet(identifier, value)}
            onForm={() => props.onForm(identifier)}
          />
        )}
        {write?.phase === 'done' && <CheckOutlined className={css.tick ?? ''} aria-label={t('setDone')} />}
      </header>
      <div className={css.liveValue}>
        <ValueView property={property} text={text} unit={unit} long={long} value={reading?.value} />
      </div>
      <div className={css.liveMiddle}>
        {control !== 'none' && control !== 'switch' ? (
          <PropertyControl
            property={property}
            value={shown}
            busy={write?.phase === 'sending' || write?.phase === 'waiting'}
            onSet={value => props.onSet(identifier, value)}
            onForm={() => props.onForm(identifier)}
          />
        ) : chartable ? (
          <Sparkline spark={spark} width={206} height={24} stepped={isStepped(property)} />
        ) : null}
      </div>
      <footer className={css.liveFoot}>
        {write?.phase === 'refused' ? (
          <span className={css.refused} role="alert">
            <span title={reasonOf(write, t)}>{reasonOf(write, t)}</span>
            <button type="button" aria-label={t('dismiss')} onClick={() => props.onDismiss(identifier)}>
              <CloseOutlined aria-hidden />
            </button>
          </span>
        ) : write?.phase === 'waiting' ? (
          <span className={css.waiting} role="status">
            <span title={t('waitingHelp')}>{t('waiting')}</span>
            <button type="button" onClick={() => props.onCancel(identifier)}>
              {t('takeBack')}
            </button>
          </span>
        ) : write?.phase === 'sending' ? (
          <span role="status">{t('sending')}</span>
        ) : reading ? (
          <span className={css.told} title={formatDateTime(reading.ts, { millis: true })}>
            <StatusDot kind={stale ? 'neutral' : QUALITY[reading.quality]} size={6} />
            <TimeText value={reading.ts} />
            {reading.raw !== undefined && (
              <span className={css.raw} title={t('rawHelp')}>
                {t('raw', { value: String(reading.raw) })}
              </span>
            )}
          </span>
        ) : (
          <span>{property.access === 'w' ? t('writeOnly') : t('noValue')}</span>
        )}
        {chartable && control !== 'switch' && spark && spark.to - spark.from < DAY && spark.points.length > 1 && (
          <span className={css.lineSpan}>{t('lineOf', { time: formatDuration(spark.to - spark.from) })}</span>
        )}
        {chartable && (write === undefined || write.phase === 'done') && (
          <button type="button" className={css.toHistory} onClick={() => props.onHistory(identifier)}>
            {t('tabs.history')}
          </button>
        )}
      </footer>
    </article>
  )
})

function reasonOf(write: WriteState, t: (key: string, params?: Record<string, unknown>) => string): string {
  const state = write.command ? t(`commandState.${write.command.state}`) : t('setRefused')
  return write.reason === '' ? state : t('because', { state, reason: write.reason })
}

/** Large where it is short; structures and long texts small, in full on hover. */
function ValueView({
  property,
  text,
  unit,
  long,
  value,
}: {
  property: Property
  text: string
  unit: string | undefined
  long: boolean
  value: unknown
}) {
  const type = property.dataType.type
  if ((type === 'colour' || (type === 'string' && property.widget === 'color')) && typeof value === 'string')
    return (
      <span className={css.colour}>
        <span className={css.swatch} style={{ background: /^#[0-9a-f]{6}$/i.test(value) ? value : 'transparent' }} />
        {text}
      </span>
    )
  if (type === 'bool' && value !== undefined)
    return (
      <span className={css.boolValue} data-on={value === true}>
        {text}
      </span>
    )
  return (
    <span className={long ? css.longValue : css.bigValue} title={unit ? `${text} ${unit}` : text} dir="auto">
      {text}
      {unit && text !== '–' && <small>{unit}</small>}
    </span>
  )
}
