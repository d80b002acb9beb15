const Svg = ({ d }: { d: string }) => (
  <svg
    viewBox="0 0 16 16"
    width={16}
    height={16}
    fill="none"
    stroke="currentColor"
    strokeWidth={1.3}
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden
  >
    <path d={d} />
  </svg>
)

export const LockIcon = ({ open }: { open: boolean }) => (
  <Svg
    d={open ? 'M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 4.8-1' : 'M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5'}
  />
)
export const EyeIcon = ({ closed }: { closed: boolean }) => (
  <Svg
    d={
      closed
        ? 'M2 8s2.2-4 6-4 6 4 6 4-2.2 4-6 4-6-4-6-4zM3 13 13 3'
        : 'M2 8s2.2-4 6-4 6 4 6 4-2.2 4-6 4-6-4-6-4zM8 6.2A1.8 1.8 0 1 0 8 9.8 1.8 1.8 0 0 0 8 6.2'
    }
  />
)

const PATHS = {
  back: 'M10 3 5 8l5 5',
  forward: 'M2 2h7v7H2zM7 7h7v7H7z',
  selectAll: 'M2 2h12v12H2z',
  lock: 'M3.5 7.5h9v6h-9z',
  hide: 'M2 8h12',
  undo: 'M5 3 2 6l3 3M2 6h7a4 4 0 0 1 0 8H6',
  redo: 'm11 3 3 3-3 3M14 6H7a4 4 0 0 0 0 8h3',
  left: 'M2 2v12M5 4h9v3H5zM5 9h6v3H5z',
  centre: 'M8 2v2M8 7v2M8 12v2M3 4h10v3H3zM5 9h6v3H5z',
  right: 'M14 2v12M2 4h9v3H2zM5 9h6v3H5z',
  top: 'M2 2h12M4 5v9h3V5zM9 5v6h3V5z',
  middle: 'M2 8h2M7 8h2M12 8h2M4 3v10h3V3zM9 5v6h3V5z',
  bottom: 'M2 14h12M4 2v9h3V2zM9 5v6h3V5z',
  spreadX: 'M2 2v12M14 2v12M6 5v6h4V5z',
  spreadY: 'M2 2h12M2 14h12M5 6v4h6V6z',
  group: 'M2 2h8v8H2zM6 6h8v8H6z',
  ungroup: 'M2 2h6v6H2zM9 9h5v5H9z',
  copy: 'M5 5h9v9H5zM2 11V2h9',
  remove: 'M3 4h10M6 4V2h4v2M4 4l1 10h6l1-10',
  front: 'M2 2h7v7H2zM7 10v4h7V7h-4',
  backward: 'M7 2h7v7H7zM2 7v7h7v-4',
  painter: 'M3 2h8v4H3zM11 4h2v4H8v2M7 10h2v4H7z',
  grid: 'M2 2h12v12H2zM6 2v12M10 2v12M2 6h12M2 10h12',
} as const
export type IconName = keyof typeof PATHS

export const ToolIcon = ({ name }: { name: IconName }) => <Svg d={PATHS[name]} />
