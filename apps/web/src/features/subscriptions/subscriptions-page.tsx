import { lazy, Suspense } from 'react'
import { useSearchParams } from 'react-router'
import { SubscriptionList } from './list/subscription-list.tsx'
import css from './subscriptions.module.css'

const SubscriptionDetail = lazy(async () => ({
  default: (await import('./detail/subscription-detail.tsx')).SubscriptionDetail,
}))
const Editor = lazy(async () => ({ default: (await import('./editor/editor.tsx')).Editor }))

/** Data subscriptions: the list, one of them, or the editor, by what the address says. */
export function SubscriptionsPage() {
  const [params] = useSearchParams()
  const id = params.get('id') ?? ''
  if (id === '') return <SubscriptionList />
  return (
    <Suspense fallback={<div className={css.pageBone} aria-busy="true" />}>
      {id === 'new' || params.get('edit') === '1' ? (
        <Editor key={id} id={id === 'new' ? null : id} />
      ) : (
        <SubscriptionDetail key={id} id={id} />
      )}
    </Suspense>
  )
}
