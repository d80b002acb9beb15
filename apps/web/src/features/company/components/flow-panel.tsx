import type { FlowDay } from '@thingwright/contracts/device-identity.contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../../lib/format.ts'
import { useRead } from '../../../lib/server-state/use-read.ts'
import { DataTable } from '../../../ui/list-page/data-table.tsx'
import type { ListColumn } from '../../../ui/list-page/list-types.ts'
import { Panel } from '../../../ui/panel.tsx'
import { EmptyState, ErrorState } from '../../../ui/states.tsx'

/** What the devices sent day by day, and how often a limit held them back. */
export function FlowPanel() {
  const { t } = useTranslation('company')
  const flow = useRead('deviceIdentity.companyFlow')
  const columns = useMemo<ListColumn<FlowDay>[]>(() => {
    const number = (key: Exclude<keyof FlowDay, 'day'>): ListColumn<FlowDay> => ({
      key,
      title: t(`flow.${key}`),
      width: 128,
      align: 'right',
      render: day => formatNumber(day[key]),
    })
    return [
      { key: 'day', title: t('flow.day'), minWidth: 120, render: day => day.day },
      number('messages'),
      number('points'),
      number('peak'),
      number('slowed'),
      number('refused'),
    ]
  }, [t])
  const days = flow.data?.items ?? []
  return (
    <Panel title={t('flow.title')} hint={t('flow.hint')} flush={days.length > 0}>
      {flow.isError && !flow.data ? (
        <ErrorState error={flow.error} onRetry={() => void flow.refetch()} />
      ) : flow.data && days.length === 0 ? (
        <EmptyState title={t('flow.empty')} />
      ) : (
        <div style={{ overflowX: 'auto' }}>
          <DataTable
            label={t('flow.title')}
            columns={columns}
            rows={days}
            rowKey={day => day.day}
            density="dense"
            skeleton={flow.isPending ? 3 : 0}
          />
        </div>
      )}
    </Panel>
  )
}
