import type { AlarmEventView, AlarmView } from '@thingwright/contracts/alarms.contract'
import { Button, Input, Skeleton } from 'antd'
import type { TFunction } from 'i18next'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useAct } from '../../../lib/server-state/use-act.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { ErrorState } from '../../../ui/states.tsx'
import css from '../alarms.module.css'

/** What happened to an alarm and what people said of it, oldest first, with a line to say something. */
export function AlarmTrail({ alarm }: { alarm: AlarmView }) {
  const { t } = useTranslation('alarms')
  const { id } = alarm
  const events = useRead('alarms.events', { params: { id } }, { enabled: useMay('alarms.events') })
  const mayComment = useMay('alarms.comment')
  const [text, setText] = useState('')
  const comment = useAct('alarms.comment', { done: () => setText('') })
  const said = text.trim()
  return (
    <section className={css.trail} aria-label={t('trail')}>
      <h3>{t('trail')}</h3>
      {events.isError && !events.data ? (
        <ErrorState error={events.error} onRetry={() => void events.refetch()} />
      ) : !events.data ? (
        <Skeleton active paragraph={{ rows: 3 }} />
      ) : (
        <ol>
          {events.data.items.map(event => (
            <li key={event.id} data-kind={event.kind}>
              <time dateTime={event.at} title={formatDateTime(event.at, { millis: true })}>
                {formatDateTime(event.at)}
              </time>
              <span>
                <b dir="auto">{wordsOf(event, t)}</b>
                {event.text && (
                  <span className={css.result} dir="auto">
                    {event.text}
                  </span>
                )}
                {event.photoIds.length > 0 && <Photos ids={event.photoIds} />}
              </span>
            </li>
          ))}
        </ol>
      )}
      {mayComment && (
        <form
          className={css.comment}
          onSubmit={event => {
            event.preventDefault()
            if (said !== '') void comment.run({ params: { id }, body: { text: said } })
          }}
        >
          <Input
            value={text}
            maxLength={2000}
            placeholder={t('commentHint')}
            aria-label={t('comment')}
            onChange={event => setText(event.target.value)}
          />
          <Button htmlType="submit" disabled={said === ''} loading={comment.pending}>
            {t('comment')}
          </Button>
        </form>
      )}
    </section>
  )
}

function wordsOf(event: AlarmEventView, t: TFunction<'alarms'>): string {
  const by = event.name || t('system')
  const detail = event.detail as { assigneeName?: string; until?: string; by?: string }
  if (event.kind === 'raised') return t('event.raised')
  if (event.kind === 'assigned')
    return detail.assigneeName ? t('event.assigned', { by, name: detail.assigneeName }) : t('event.unassigned', { by })
  if (event.kind === 'shelved') return t('event.shelved', { by, time: formatDateTime(detail.until) })
  if (event.kind === 'cleared' && event.name === '')
    return t(`clearedBy.${(detail.by ?? 'condition') as NonNullable<AlarmView['clearedBy']>}`)
  return t(`event.${event.kind}`, { by })
}

function Photos({ ids }: { ids: readonly string[] }) {
  return (
    <span className={css.photos}>
      {ids.map(id => (
        <Photo key={id} id={id} />
      ))}
    </span>
  )
}

function Photo({ id }: { id: string }) {
  const { t } = useTranslation('alarms')
  const { data } = useRead('media.get', { params: { id } }, { enabled: useMay('media.get'), staleTime: 60_000 })
  if (!data) return null
  return (
    <a className={css.photo} href={data.url} target="_blank" rel="noreferrer" title={data.name}>
      <img src={data.thumbUrl ?? data.url} alt={t('photoOf', { name: data.name })} />
    </a>
  )
}
