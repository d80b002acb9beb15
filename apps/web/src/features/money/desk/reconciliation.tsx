import { Alert, Button, Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../../lib/permissions.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { ErrorState, NoPermissionState } from '../../../ui/states.tsx'
import { TabBar } from '../../../ui/tab-bar.tsx'
import { TimeText } from '../../../ui/time-text.tsx'
import type { Tabs } from '../consumption-list.tsx'
import css from '../money.module.css'

/** Whether the books agree, and where they do not. */
export function Reconciliation({ tabs }: { tabs: Tabs }) {
  const { t } = useTranslation('money')
  const allowed = useMay('moneyDesk.reconciliation')
  const read = useRead('moneyDesk.reconciliation', {}, { enabled: allowed })
  if (!allowed) return <NoPermissionState of="moneyDesk.reconciliation" />
  return (
    <>
      <PageHeader title={t('desk.title')} />
      <TabBar label={t('desk.title')} items={tabs.items} active={tabs.active} onChange={tabs.onChange} />
      <Panel
        title={t('desk.tab.books')}
        hint={read.data && <TimeText value={read.data.at} mode="absolute" />}
        actions={
          <Button loading={read.isFetching} onClick={() => void read.refetch()}>
            {t('desk.check')}
          </Button>
        }
      >
        {read.isError ? (
          <ErrorState error={read.error} onRetry={() => void read.refetch()} />
        ) : !read.data ? (
          <Skeleton active paragraph={{ rows: 4 }} />
        ) : read.data.items.length === 0 ? (
          <Alert type="success" showIcon title={t('desk.agree')} />
        ) : (
          <table className={css.table}>
            <thead>
              <tr>
                <th scope="col">{t('desk.what')}</th>
                <th scope="col">{t('desk.company')}</th>
                <th scope="col">{t('desk.about')}</th>
                <th scope="col" className={css.number}>
                  {t('desk.expected')}
                </th>
                <th scope="col" className={css.number}>
                  {t('desk.found')}
                </th>
              </tr>
            </thead>
            <tbody>
              {read.data.items.map(item => (
                <tr key={`${item.kind} ${item.about}`}>
                  <td>{t(`desk.mismatch.${item.kind}`)}</td>
                  <td>{item.companyName}</td>
                  <td>{item.about}</td>
                  <td className={css.number}>{item.expected}</td>
                  <td className={css.number}>{item.found}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Panel>
    </>
  )
}
