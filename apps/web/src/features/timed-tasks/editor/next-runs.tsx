import { Alert } from 'antd'
import { useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import type { Body } from '../../../lib/api-client.ts'
import { errorFacts } from '../../../lib/errors.ts'
import { locale } from '../../../lib/i18n.ts'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'
import { Panel } from '../../../ui/panel.tsx'
import type { Draft } from '../draft.ts'
import css from '../timed-tasks.module.css'

/** The next ten runs of what is typed, in the zone of its clock. */
export function NextRuns({ draft }: { draft: Pick<Draft, 'schedule' | 'calendarId' | 'actions'> }) {
  const { t } = useTranslation('timed-tasks')
  const { schedule, calendarId, actions } = useDeferredValue(draft)
  const body = {
    schedule,
    calendarId,
    // Only where the sun is looked at; half a step is no reason to show nothing.
    actions: actions.filter(
      ({ kind, scope }) => kind !== 'command' || Object.values(scope ?? {}).some(ids => ids.length > 0),
    ),
    count: 10,
  } as Body<'timedTasks.preview'>
  const query = useRead(
    'timedTasks.preview',
    { body },
    { enabled: useMay('timedTasks.preview'), keep: true, retry: false, staleTime: 30_000 },
  )
  const facts = query.error ? errorFacts(query.error) : null
  const said =
    facts && 'fields' in query.error! ? Object.values(query.error.fields as Record<string, { message: string }>) : []
  return (
    <Panel title={t('nextRuns')} hint={query.data && !facts ? t('zoneIs', { zone: query.data.zone }) : undefined}>
      {facts ? (
        <Alert type="warning" showIcon title={said[0]?.message ?? facts.message} />
      ) : query.data ? (
        <ol className={css.runs} data-testid="next-runs">
          {query.data.items.map(({ at, edge }) => (
            <li key={`${at} ${edge}`}>
              {inZone(at, query.data.zone)}
              {edge && ` · ${t(`edge.${edge}`)}`}
            </li>
          ))}
        </ol>
      ) : (
        <FrameSkeleton />
      )}
    </Panel>
  )
}

function inZone(at: string, zone: string): string {
  return new Intl.DateTimeFormat(locale() === 'en' ? 'en-GB' : 'zh-CN', {
    timeZone: zone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(new Date(at))
}
