import { lazy, Suspense, useEffect, useState } from 'react'
import { call, type Reply } from '../../lib/api-client.ts'

const ConsentDialog = lazy(async () => {
  const [module, { loadTexts }] = await Promise.all([import('./consent-dialog.tsx'), import('../../lib/i18n.ts')])
  await loadTexts('public-pages')
  return { default: module.ConsentDialog }
})

/** Asked so long after the console is drawn, so that no page waits for it. */
const QUIET_MS = 4000
/** One question for each time the console is opened. */
let asked = false

/** Asks a person, once after the sign-in, whether he agrees to a document that has a newer version. Draws nothing else. */
export function HeaderItem() {
  const [due, setDue] = useState<Reply<'consents.mine'>['due']>([])
  useEffect(() => {
    if (asked) return
    const timer = setTimeout(async () => {
      asked = true
      try {
        setDue((await call('consents.mine')).due)
      } catch {
        // Asked again when the console is opened the next time.
      }
    }, QUIET_MS)
    return () => clearTimeout(timer)
  }, [])
  if (due.length === 0) return null
  return (
    <Suspense>
      <ConsentDialog due={due} onClose={() => setDue([])} />
    </Suspense>
  )
}
