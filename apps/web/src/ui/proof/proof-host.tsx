import { lazy, Suspense } from 'react'
import { loadTexts } from '../../lib/i18n.ts'
import { useProof } from '../../lib/proof.ts'

const ProofDialog = lazy(async () => {
  const [dialog] = await Promise.all([import('./proof-dialog.tsx'), loadTexts('proof')])
  return { default: dialog.ProofDialog }
})

/** Asks "confirm that it is you" whenever a call needs it. */
export function ProofHost() {
  const open = useProof(s => s.open)
  return open ? (
    <Suspense>
      <ProofDialog question={open} />
    </Suspense>
  ) : null
}
