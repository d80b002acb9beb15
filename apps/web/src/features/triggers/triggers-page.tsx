import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { FrameSkeleton } from '../../ui/frame-skeleton.tsx'
import { TriggerList } from './list/trigger-list.tsx'

const TriggerDetail = lazy(async () => ({ default: (await import('./detail/trigger-detail.tsx')).TriggerDetail }))
const Editor = lazy(async () => ({ default: (await import('./editor/editor.tsx')).Editor }))

/** Triggers: the list, one of them, or the editor, by what the address says. */
export function TriggersPage() {
  const [params] = useSearchParams()
  const id = params.get('id') ?? ''
  if (id === '') return <TriggerList />
  return (
    <Suspense fallback={<FrameSkeleton />}>
      {id === 'new' || params.get('edit') === '1' ? (
        <Editor key={id} id={id === 'new' ? null : id} />
      ) : (
        <TriggerDetail key={id} id={id} />
      )}
    </Suspense>
  )
}
