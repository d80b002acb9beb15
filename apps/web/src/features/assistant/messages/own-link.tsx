import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { ownPage } from './own-page.ts'

/** A link to a page of the console; whatever else an answer names is text. */
export function OwnLink({
  to,
  children,
  className,
}: {
  to: string | null | undefined
  children: ReactNode
  className?: string | undefined
}) {
  const page = ownPage(to)
  if (page === null) return <span dir="auto">{children}</span>
  return (
    <Link to={page} dir="auto" className={className}>
      {children}
    </Link>
  )
}
