import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { StatusDot } from '../../ui/status-tag.tsx'
import { ACCOUNT_KIND, useAccounts } from './hooks.ts'

/** Opens the EZVIZ accounts; its dot says whether one of them fails. */
export function AccountsButton({ onOpen }: { onOpen: () => void }) {
  const { t } = useTranslation('video')
  const { allowed, items } = useAccounts()
  if (!allowed) return null
  const worst = items.find(({ state }) => state === 'failed') ?? items[0]
  return (
    <Button icon={worst && <StatusDot kind={ACCOUNT_KIND[worst.state]} />} onClick={onOpen}>
      {t('account.title')}
    </Button>
  )
}
