import type { ReactNode } from 'react'

const PATHS: Record<string, ReactNode> = {
  page: <path d="M3 2.5h7l3 3v8H3zM10 2.5v3h3M5.5 8.5h5M5.5 11h5" />,
  device: (
    <path d="M4.5 4.5h7v7h-7zM6.5 2v2.5M9.5 2v2.5M6.5 11.5V14M9.5 11.5V14M2 6.5h2.5M2 9.5h2.5M11.5 6.5H14M11.5 9.5H14" />
  ),
  product: <path d="M2.5 5 8 2.5 13.5 5v6L8 13.5 2.5 11zM2.5 5 8 7.5 13.5 5M8 7.5v6" />,
  member: <path d="M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8zM2.8 13.8c.6-2.6 2.6-4 5.2-4s4.6 1.4 5.2 4" />,
  role: <path d="M8 1.8 13 3.6v4c0 3.2-2 5.5-5 6.6-3-1.1-5-3.4-5-6.6v-4zM5.8 7.8l1.6 1.6 2.8-3" />,
  media: <path d="M2.5 3h11v10h-11zM2.5 11l3-3 2.5 2.5L10.5 8l3 3M5.5 6.2v.1" />,
  company: <path d="M3 13.5v-11h6v11M9 6.5h4v7M2 13.5h12M5 5h2M5 7.5h2M5 10h2M10.8 9h.6M10.8 11.2h.6" />,
}

/** A small drawing for a kind of thing that was found. */
export function KindIcon({ kind }: { kind: string }) {
  return (
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.3"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {PATHS[kind] ?? PATHS.page}
    </svg>
  )
}
