import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../lib/permissions.ts'
import { StatusDot } from '../../ui/status-tag.tsx'
import { CONNECTION_KIND, useConnections } from './hooks.ts'

const ConnectionsDrawer = lazy(async () => ({ default: (await import('./connections-drawer.tsx')).ConnectionsDrawer }))

/** Opens the connections; its dot says whether one of them fails. */
export function ConnectionsButton() {
  const { t } = useTranslation('lora')
  const may = useMay('loraConnections.list')
  const { items } = useConnections()
  const [open, setOpen] = useState(false)
  if (!may) return null
  const worst = items.find(({ state }) => state === 'failed') ?? items[0]
  return (
    <>
      <Button icon={worst && <StatusDot kind={CONNECTION_KIND[worst.state]} />} onClick={() => setOpen(true)}>
        {t('connection.title')}
      </Button>
      <Suspense>{open && <ConnectionsDrawer onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
