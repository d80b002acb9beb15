import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { Panel, Stack } from '../../../ui/panel.tsx'
import { ErrorState } from '../../../ui/states.tsx'
import css from '../company.module.css'
import { useUsage } from '../hooks.ts'
import { FlowPanel } from './flow-panel.tsx'
import { UsageBar } from './usage-bar.tsx'

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
