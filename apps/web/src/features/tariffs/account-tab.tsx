import { Skeleton } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../lib/server-state/use-read.ts'
import { ErrorState } from '../../ui/states.tsx'
import { Balance, Entries, Statements } from './account-parts.tsx'
import { StatementDrawer } from './statement-drawer.tsx'
import css from './tariffs.module.css'

/** What the company has with one end user: his balance, statements and movements. */
export function AccountTab({ userId }: { userId: string | null }) {
  const { t } = useTranslation('tariffs')
  const id = userId ?? ''
  const [open, setOpen] = useState<string | null>(null)
  const account = useRead('meterAccounts.get', { params: { endUserId: id } })
  const statements = useRead('meterStatements.list', { query: { endUserId: id, limit: 50 } })
  const entries = useRead('meterAccounts.entries', { params: { endUserId: id }, query: { limit: 50 } })
  if (account.isError) return <ErrorState error={account.error} onRetry={() => void account.refetch()} />
  if (!account.data) return <Skeleton active paragraph={{ rows: 6 }} />
  return (
    <div className={css.stack}>
      <Balance account={account.data} />
      <Statements title={t('tab.statements')} items={statements.data?.items} onOpen={setOpen} />
      <Entries items={entries.data?.items} />
      {open && <StatementDrawer key={open} id={open} onClose={() => setOpen(null)} />}
    </div>
  )
}
