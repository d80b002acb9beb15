import { strokeIcon } from '../../../ui/stroke-icon.tsx'

export const NewChatIcon = () =>
  strokeIcon(<path d="M13.5 8.5v4a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1h4M8 8.2l5-5.2" />)
export const HistoryIcon = () =>
  strokeIcon(<path d="M2.3 8a5.8 5.8 0 1 0 1.7-4.1L2.3 5.6M2.3 2.6v3h3M8 5v3.2l2.2 1.3" />)
export const DockIcon = () => strokeIcon(<path d="M2 3h12v10H2zM8.5 8H14M8.5 8v5" />)
export const FloatIcon = () => strokeIcon(<path d="M5.5 5.5H14V13H5.5zM2 10.5V3h8.5" />)
export const FullIcon = () =>
  strokeIcon(<path d="M9.8 2.5h3.7v3.7M6.2 13.5H2.5V9.8M13.2 2.8 9.5 6.5M2.8 13.2l3.7-3.7" />)
export const ExitFullIcon = () => strokeIcon(<path d="M13 6.6H9.4V3M3 9.4h3.6V13M9.6 6.4l3.9-3.9M6.4 9.6l-3.9 3.9" />)
export const CloseIcon = () => strokeIcon(<path d="m3.5 3.5 9 9M12.5 3.5l-9 9" />)
export const SendIcon = () => strokeIcon(<path d="M8 13V3M3.8 7.2 8 3l4.2 4.2" />)
export const StopIcon = () => (
  <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
    <rect x="4" y="4" width="8" height="8" rx="1.5" fill="currentColor" />
  </svg>
)
export const ClearIcon = () => strokeIcon(<path d="M2.5 4h11M6 4V2.5h4V4M4 4l.6 9.5h6.8L12 4M6.6 6.8v4M9.4 6.8v4" />)
export const RenameIcon = () => strokeIcon(<path d="M10.8 2.8l2.4 2.4-7.6 7.6-3 .6.6-3z" />)
export const CopyIcon = () => strokeIcon(<path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />)
export const AgainIcon = () => strokeIcon(<path d="M13.5 8a5.5 5.5 0 1 1-1.7-4L13.5 5.6M13.5 2.5v3.1h-3.1" />)
export const UpIcon = () =>
  strokeIcon(
    <path d="M5 7.2v6H2.8v-6zM5 7.2l2.6-4.7c.9 0 1.5.6 1.5 1.5v2.4h3.3c.7 0 1.1.6 1 1.2l-.8 4.6c-.1.6-.5 1-1.1 1H5" />,
  )
export const DownIcon = () =>
  strokeIcon(
    <path d="M5 8.8v-6H2.8v6zM5 8.8l2.6 4.7c.9 0 1.5-.6 1.5-1.5V9.6h3.3c.7 0 1.1-.6 1-1.2l-.8-4.6c-.1-.6-.5-1-1.1-1H5" />,
  )
export const TickIcon = () => strokeIcon(<path d="m3 8.5 3.3 3.3L13 4.8" />)
export const ToBottomIcon = () => strokeIcon(<path d="M8 3v9M4 8.2 8 12.2l4-4" />)
export const AttachIcon = () =>
  strokeIcon(<path d="m12.8 7.4-5 5a3 3 0 0 1-4.3-4.3l5.3-5.3a2 2 0 0 1 2.9 2.9L6.5 10.9a1 1 0 0 1-1.4-1.4l4.7-4.7" />)
export const SearchIcon = () => strokeIcon(<path d="M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9zM10.3 10.3l3.4 3.4" />)
