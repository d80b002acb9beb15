import type { UsageView } from '@thingwright/contracts/company.contract'
import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatBytes, formatNumber } from '../../../lib/format.ts'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import css from '../company.module.css'
import { useUsage } from '../hooks.ts'
import { FlowPanel } from './flow-panel.tsx'

/** What is used of each quota. */
export function UsageTab() {
  const { t } = useTranslation('company')
  const usage = useUsage()
  return (
    <Stack>
      <Panel title={t('tab.usage')} hint={t('usageHint')}>
        {usage.isError ? (
          <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />
        ) : usage.data ? (
          <div className={css.usage}>
            {usage.data.items.map(item => (
              <UsageBar key={item.kind} item={item} />
            ))}
          </div>
        ) : (
          <Skeleton active paragraph={{ rows: 6 }} />
        )}
      </Panel>
      <FlowPanel />
    </Stack>
  )
}

function UsageBar({ item: { kind, used, limit, level } }: { item: UsageView }) {
  const { t } = useTranslation('company')
  const show = (value: number) => (kind === 'mediaBytes' ? formatBytes(value) : formatNumber(value))
  const share = limit === null ? 0 : limit === 0 ? 1 : Math.min(1, used / limit)
  return (
    <div data-testid={`usage-${kind}`}>
      <div className={css.usageHead}>
        <span>{t(`quota.${kind}`)}</span>
        <span className={css.number}>
          {limit === null ? `${show(used)} · ${t('noLimit')}` : `${show(used)} / ${show(limit)}`}
        </span>
      </div>
      {limit !== null && (
        <div
          className={css.bar}
          data-level={level}
          role="progressbar"
          aria-label={t(`quota.${kind}`)}
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.round(share * 100)}
        >
          <span style={{ width: `${Math.max(share * 100, used > 0 ? 1 : 0)}%` }} />
        </div>
      )}
      {level !== 'ok' && <p className={css.usageNote}>{t(`level.${level}`)}</p>}
    </div>
  )
}
