import type { CommandBatchView } from '@thingwright/contracts/command-batches.contract'
import { Drawer } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../lib/server-state/use-read.ts'
import { DataTable } from '../list-page/data-table.tsx'
import type { ListColumn } from '../list-page/list-types.ts'
import { EmptyState, ErrorState } from '../states.tsx'
import { TimeText } from '../time-text.tsx'
import { sumOf } from './batch-words.ts'
import css from './command-kit.module.css'

/** The latest batch commands, to look at their results again. */
export function BatchList({ onOpen, onClose }: { onOpen: (id: string) => void; onClose: () => void }) {
  const { t } = useTranslation('command-kit')
  const batches = useRead('commandBatches.list', { query: { limit: 100 } })
  const columns = useMemo<ListColumn<CommandBatchView>[]>(
    () => [
      {
        key: 'name',
        title: t('batchName'),
        minWidth: 130,
        render: batch => <span title={batch.name}>{batch.name}</span>,
      },
      { key: 'state', title: t('state'), width: 112, render: batch => t(`batchState.${batch.state}`) },
      { key: 'result', title: t('result'), minWidth: 240, render: batch => t('succeededOf', { ...sumOf(batch) }) },
      { key: 'at', title: t('created'), width: 104, render: batch => <TimeText value={batch.createdAt} /> },
    ],
    [t],
  )
  return (
    <Drawer open size={720} title={t('batches')} onClose={onClose}>
      {batches.isError && !batches.data ? (
        <ErrorState error={batches.error} onRetry={() => void batches.refetch()} />
      ) : batches.isSuccess && batches.data.items.length === 0 ? (
        <EmptyState title={t('noBatches')} description={t('noBatchesText')} />
      ) : (
        <div className={css.scroll}>
          <DataTable
            label={t('batches')}
            columns={columns}
            rows={batches.data?.items ?? []}
            rowKey={batch => batch.id}
            actions={batch => [{ key: 'open', label: t('open'), onClick: () => onOpen(batch.id) }]}
            actionsWidth={88}
            skeleton={batches.isPending ? 5 : 0}
          />
        </div>
      )}
    </Drawer>
  )
}
