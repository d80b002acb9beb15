import type { SimCardView } from '@thingwright/contracts/sim-cards.contract'
import { lazy, Suspense } from 'react'
import type { CardAsk } from './card-actions.tsx'

const OperateDialog = lazy(async () => ({ default: (await import('./operate-dialog.tsx')).OperateDialog }))
const EditDrawer = lazy(async () => ({ default: (await import('./edit-drawer.tsx')).EditDrawer }))
const BindDialog = lazy(async () => ({ default: (await import('./bind-dialog.tsx')).BindDialog }))

/** The dialog of what was asked for. */
export function CardAsked({ card, asked, onClose }: { card: SimCardView; asked: CardAsk | null; onClose: () => void }) {
  if (asked === null) return null
  return (
    <Suspense>
      {asked === 'edit' ? (
        <EditDrawer card={card} onClose={onClose} />
      ) : asked === 'bind' ? (
        <BindDialog card={card} onClose={onClose} />
      ) : (
        <OperateDialog cards={[card]} action={asked} onClose={onClose} />
      )}
    </Suspense>
  )
}
