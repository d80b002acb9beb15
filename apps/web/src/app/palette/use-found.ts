import { useEffect, useState } from 'react'
import { useRead } from '../../lib/server-state/use-read.ts'

const TYPING_MS = 200

/** What the server finds for the words, once the person pauses; what was found last stands until then. */
export function useFound(query: string) {
  const wanted = query.trim().slice(0, 64)
  const [asked, ask] = useState(wanted)
  useEffect(() => {
    const timer = setTimeout(() => ask(wanted), wanted === '' ? 0 : TYPING_MS)
    return () => clearTimeout(timer)
  }, [wanted])
  const found = useRead(
    'search.find',
    { query: { q: asked } },
    {
      enabled: asked !== '',
      staleTime: 5_000,
      placeholderData: before => (asked === '' ? undefined : before),
      meta: { ownError: true },
    },
  )
  return {
    groups: wanted === '' ? [] : (found.data?.groups ?? []),
    waiting: wanted !== '' && (asked !== wanted || found.isFetching),
    error: wanted !== '' && asked === wanted ? found.error : null,
    retry: () => void found.refetch(),
  }
}
