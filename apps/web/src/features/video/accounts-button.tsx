import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { StatusDot } from '../../ui/status-tag.tsx'
import { ACCOUNT_KIND, useAccounts } from './hooks.ts'

const AccountsDrawer = lazy(async () => ({ default: (await import('./accounts-drawer.tsx')).AccountsDrawer }))

/** Opens the EZVIZ accounts; its dot says whether one of them fails. */
export function AccountsButton() {
  const { t } = useTranslation('video')
  const { allowed, items } = useAccounts()
  const [open, setOpen] = useState(false)
  if (!allowed) return null
  const worst = items.find(({ state }) => state === 'failed') ?? items[0]
  return (
    <>
      <Button icon={worst && <StatusDot kind={ACCOUNT_KIND[worst.state]} />} onClick={() => setOpen(true)}>
        {t('account.title')}
      </Button>
      <Suspense>{open && <AccountsDrawer onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
