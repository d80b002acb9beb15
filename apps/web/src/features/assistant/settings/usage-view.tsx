import { LeftOutlined, RightOutlined } from '@ant-design/icons'
import { Button, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { formatMoney, formatNumber } from '../../../lib/format.ts'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'
import { type Usage, useUsage } from './hooks.ts'
import { QuotaBar } from './quota-bar.tsx'
import css from './settings.module.css'
import { UsageChart } from './usage-chart.tsx'
import { costText, monthBeside } from './usage-days.ts'

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/

/** Tokens and cost of one month: as numbers, by day and by person. */
export function UsageView() {
  const { t } = useTranslation('settings')
  const [search, setSearch] = useSearchParams()
  const asked = search.get('month')
  const month = asked !== null && MONTH.test(asked) ? asked : null
  const usage = useUsage(month)
  // The company's zone decides which month it is.
  const current = useUsage(null).data?.month
  const show = (next: string) => setSearch({ tab: 'assistant', view: 'usage', month: next }, { replace: true })
  if (usage.isError && !usage.data)
    return (
      <Panel>
        <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />
      </Panel>
    )
  if (!usage.data)
    return (
      <Panel>
        <Skeleton active paragraph={{ rows: 8 }} />
      </Panel>
    )
  const shown = usage.data
  const isNow = current === undefined || shown.month >= current
  return (
    <Stack>
      <div className={css.months}>
        <Button
          icon={<LeftOutlined aria-hidden />}
          aria-label={t('usage.before')}
          onClick={() => show(monthBeside(shown.month, -1))}
        />
        <b aria-live="polite">{shown.month}</b>
        <Button
          icon={<RightOutlined aria-hidden />}
          aria-label={t('usage.after')}
          disabled={isNow}
          onClick={() => show(monthBeside(shown.month, 1))}
        />
      </div>
      <Figures usage={shown} />
      <Panel title={t('usage.byDay')}>
        {shown.days.every(day => day.replies === 0) ? (
          <EmptyState title={t('usage.empty')} description={t('usage.emptyText')} />
        ) : (
          <UsageChart month={shown.month} days={shown.days} />
        )}
      </Panel>
      {shown.people.length > 0 && <People people={shown.people} />}
    </Stack>
  )
}

function Figures({ usage }: { usage: Usage }) {
  const { t } = useTranslation('settings')
  const replies = usage.days.reduce((sum, day) => sum + day.replies, 0)
  return (
    <Panel>
      <dl className={css.figures} data-testid="usage-figures">
        <div>
          <dt>{t('usage.replies')}</dt>
          <dd>{formatNumber(replies)}</dd>
        </div>
        <div>
          <dt>{t('usage.tokens')}</dt>
          <dd>{formatNumber(usage.tokens)}</dd>
        </div>
        <div>
          <dt>{t('usage.cost')}</dt>
          <dd>{costText(usage.costFen, formatMoney)}</dd>
        </div>
      </dl>
      <QuotaBar used={usage.tokens} limit={usage.limit} />
    </Panel>
  )
}

function People({ people }: { people: Usage['people'] }) {
  const { t } = useTranslation('settings')
  return (
    <Panel flush title={t('usage.byPerson')}>
      <table className={css.table} data-testid="usage-people">
        <thead>
          <tr>
            <th scope="col">{t('usage.person')}</th>
            <th scope="col">{t('usage.replies')}</th>
            <th scope="col">{t('usage.tokens')}</th>
            <th scope="col">{t('usage.cost')}</th>
          </tr>
        </thead>
        <tbody>
          {people.map((person, at) => (
            <tr key={at}>
              <th scope="row" dir="auto" title={person.userName}>
                {person.userName}
              </th>
              <td>{formatNumber(person.replies)}</td>
              <td>{formatNumber(person.tokens)}</td>
              <td>{costText(person.costFen, formatMoney)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  )
}
