import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { FrameSkeleton } from '../../ui/frame-skeleton.tsx'
import { usePageToEdit } from './hooks.ts'
import { PageList } from './list/page-list.tsx'

const EditorPage = lazy(async () => ({ default: (await import('./editor/editor-page.tsx')).EditorPage }))

/** Cloud pages: the list, or the editor of the one that the address names. */
export function CloudPagesPage() {
  const [params] = useSearchParams()
  const id = params.get('id') ?? ''
  return id === '' ? <PageList /> : <Editing id={id} />
}

/** The page is asked for while the editor's program comes. */
function Editing({ id }: { id: string }) {
  usePageToEdit(id)
  return (
    <Suspense fallback={<FrameSkeleton />}>
      <EditorPage key={id} id={id} />
    </Suspense>
  )
}
