import { useRef } from 'react'
import type { Read } from './use-read.ts'

/**
 * What a form begins with: an answer that is known to be no older than the form. Once it is there it stays, whatever is
 * read or heard later, so that a form never begins anew under the person's typing.
 * @returns undefined until the server has answered
 */
export function useOnceFresh<T>(read: Pick<Read<T>, 'data' | 'isFetchedAfterMount' | 'isStale'>): T | undefined {
  const first = useRef<T>(undefined)
  if (first.current === undefined && (read.isFetchedAfterMount || !read.isStale)) first.current = read.data
  return first.current
}
