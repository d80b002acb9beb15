import { Button } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useMay } from '../../lib/permissions.ts'
import { useConnections } from './hooks.ts'

const MulticastDrawer = lazy(async () => ({ default: (await import('./multicast-drawer.tsx')).MulticastDrawer }))

/** Opens the multicast groups, where there is a ChirpStack that has some. */
export function MulticastButton() {
  const { t } = useTranslation('lora')
  const may = useMay('loraMulticast.list')
  const { items } = useConnections()
  const [open, setOpen] = useState(false)
  if (!may || items.length === 0) return null
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t('multicast.title')}</Button>
      <Suspense>{open && <MulticastDrawer connections={items} onClose={() => setOpen(false)} />}</Suspense>
    </>
  )
}
