import type { ReactNode } from 'react'
import { PageIcon } from '../../ui/page-icon.tsx'

/** The page of the menu whose icon stands for a kind of thing. */
const PAGES: Record<string, string> = {
  device: '/manage/device',
  product: '/manage/product',
  firmware: '/develop/FirmwareUpdate',
  member: '/admin/member',
  role: '/manage/role',
  media: '/admin/material',
  company: '/operator/companies',
}

const PATHS: Record<string, ReactNode> = {
  page: <path d="M3 2.5h7l3 3v8H3zM10 2.5v3h3M5.5 8.5h5M5.5 11h5" />,
  action: <path d="M9 1.8 3.5 9H8l-1 5.2L12.5 7H8z" />,
  help: (
    <path d="M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.7-.8 1.3M8 11.3v.1" />
  ),
}

/** The icon of what was found: that of its page in the menu, else a small drawing for its kind. */
export function KindIcon({ kind, link }: { kind: string; link: string }) {
  const page = PAGES[kind] ?? link.replace(/[?#].*$/, '')
  const drawn = (
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
  return kind === 'help' ? drawn : <PageIcon of={page} fallback={drawn} />
}
