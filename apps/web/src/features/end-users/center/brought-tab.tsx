import { type ComponentType, lazy, Suspense } from 'react'
import type { CenterTab } from '../../../lib/center-tabs.ts'
import { FrameSkeleton } from '../../../ui/frame-skeleton.tsx'

const loaded = new Map<string, ComponentType<{ userId: string | null }>>()

function componentOf(tab: CenterTab): ComponentType<{ userId: string | null }> {
  const known = loaded.get(tab.key)
  if (known) return known
  const made = lazy(async () => ({ default: (await tab.load()).Component }))
  loaded.set(tab.key, made)
  return made
}

/** A tab that another area brought, downloaded when it is opened. */
export function BroughtTab({ tab, userId }: { tab: CenterTab; userId: string | null }) {
  const Content = componentOf(tab)
  return (
    <Suspense fallback={<FrameSkeleton />}>
      <Content userId={userId} />
    </Suspense>
  )
}
