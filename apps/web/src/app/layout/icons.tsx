import { strokeIcon } from '../../ui/stroke-icon.tsx'

/** The mark: three devices reporting to one place. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 28 28" aria-hidden="true">
      <rect width="28" height="28" rx="7" fill="#1f5eff" />
      <path d="M14 14 7.5 8.5M14 14l7-5M14 14v7.5" stroke="#fff" strokeWidth="1.6" strokeLinecap="round" />
      <circle cx="14" cy="14" r="3.4" fill="#fff" />
      <circle cx="7.2" cy="8.2" r="2" fill="#fff" />
      <circle cx="21.2" cy="8.8" r="2" fill="#fff" />
      <circle cx="14" cy="21.8" r="2" fill="#fff" />
    </svg>
  )
}

export const SunIcon = () =>
  strokeIcon(
    <path d="M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1.2v1.3M8 13.5v1.3M1.2 8h1.3M13.5 8h1.3M3.2 3.2l.9.9M11.9 11.9l.9.9M3.2 12.8l.9-.9M11.9 4.1l.9-.9" />,
  )
export const MoonIcon = () => strokeIcon(<path d="M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1z" />)
export const SearchIcon = () => strokeIcon(<path d="M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3l3.4 3.4" />)
export const HelpIcon = () =>
  strokeIcon(
    <path d="M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.7-.8 1.3M8 11.3v.1" />,
  )
export const SignOutIcon = () => strokeIcon(<path d="M6 2.5H3v11h3M10 5l3 3-3 3M13 8H6.5" />)
export const ArrowIcon = () => strokeIcon(<path d="M6 3.5 10.5 8 6 12.5" />, 12)
export const BarsIcon = () => strokeIcon(<path d="M2 3.5h12M2 8h12M2 12.5h12" />)
export const FoldIcon = () => strokeIcon(<path d="M2 3.5h12M2 8h7M2 12.5h12M13.5 6l-2 2 2 2" />)
export const PersonIcon = () =>
  strokeIcon(
    <path d="M8 2.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM2.6 13.8c.5-2.7 2.6-4.1 5.4-4.1s4.9 1.4 5.4 4.1" />,
  )
export const ShieldIcon = () =>
  strokeIcon(<path d="M8 1.5 13 3.5v4c0 3.5-2.2 5.7-5 7-2.8-1.3-5-3.5-5-7v-4zM5.8 8l1.6 1.6 3.1-3.1" />)
export const LanguageIcon = () =>
  strokeIcon(
    <path d="M8 1.7a6.3 6.3 0 1 1 0 12.6A6.3 6.3 0 0 1 8 1.7zM1.7 8h12.6M8 1.7c4 4 4 8.6 0 12.6M8 1.7c-4 4-4 8.6 0 12.6" />,
  )
export const DotIcon = () => strokeIcon(<circle cx="8" cy="8" r="2" />)
export const WarningIcon = () => strokeIcon(<path d="M8 1.8 14.8 13.5H1.2zM8 6.2v3.6M8 11.6v.1" />)
export const ErrorIcon = () => strokeIcon(<path d="M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM8 4.8v4M8 10.9v.1" />)
export const DoneIcon = () => strokeIcon(<path d="M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM5.2 8.2l2 2 3.6-4.2" />)
export const InfoIcon = () => strokeIcon(<path d="M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13zM8 7.4v3.8M8 5v.1" />)
