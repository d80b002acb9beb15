import { Button, Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../lib/permissions.ts'
import { useRead } from '../../lib/server-state/use-read.ts'
import { ErrorState } from '../../ui/states.tsx'
import { Balance, Cutoffs, Entries, Statements } from './account-parts.tsx'
import { RecordDialog } from './record-dialog.tsx'
import { StatementDrawer } from './statement-drawer.tsx'
import css from './tariffs.module.css'

/** What the company has with one end user: his balance, statements and movements. */
export function AccountTab({ userId }: { userId: string | null }) {
  const { t } = useTranslation('tariffs')
  const id = userId ?? ''
  const [open, setOpen] = useState<string | null>(null)
  const [recording, setRecording] = useState(false)
  const mayRecord = useMay('meterPayments.record')
  const cutoffs = useRead('meterPayments.cutoffs', { query: { endUserId: id, limit: 20 } })
  const account = useRead('meterAccounts.get', { params: { endUserId: id } })
  const statements = useRead('meterStatements.list', { query: { endUserId: id, limit: 50 } })
  const entries = useRead('meterAccounts.entries', { params: { endUserId: id }, query: { limit: 50 } })
  if (account.isError) return <ErrorState error={account.error} onRetry={() => void account.refetch()} />
  if (!account.data) return <Skeleton active paragraph={{ rows: 6 }} />
  return (
    <div className={css.stack}>
      <Cutoffs items={cutoffs.data?.items} />
      <Balance
        account={account.data}
        actions={
          mayRecord ? (
            <Button type="primary" onClick={() => setRecording(true)}>
              {t('recordPayment')}
            </Button>
          ) : undefined
        }
      />
      <Statements title={t('tab.statements')} items={statements.data?.items} onOpen={setOpen} />
      <Entries items={entries.data?.items} />
      {recording && <RecordDialog endUserId={id} onClose={() => setRecording(false)} />}
      {open && <StatementDrawer key={open} id={open} onClose={() => setOpen(null)} />}
    </div>
  )
}
