import type { ReactNode } from 'react'

/** An icon of lines on a grid of 16, in the colour of the text around it; what it is for is said by the button it is on. */
export const strokeIcon = (path: ReactNode, size = 16) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.4"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    {path}
  </svg>
)
