import { strokeIcon } from '../../ui/stroke-icon.tsx'

export const RefreshIcon = () => strokeIcon(<path d="M13.5 8a5.5 5.5 0 1 1-1.7-4M13.5 2v3h-3" />)
export const ArrangeIcon = () => strokeIcon(<path d="M2 5h8M13 5h1M2 11h1M6 11h8M11.5 3.500v3M4.5 9.500v3" />)
export const FullScreenIcon = () =>
  strokeIcon(<path d="M2.5 6V2.500H6M10 2.500h3.500V6M13.5 10v3.500H10M6 13.500H2.500V10" />)
