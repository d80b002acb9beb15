import { useEffect, useState } from 'react'
import { type Size, screenSize } from './place.ts'

/** The size of what can be seen of the page, followed as it changes. */
export function useScreen(): Size {
  const [size, setSize] = useState(screenSize)
  useEffect(() => {
    const follow = () => setSize(screenSize())
    window.addEventListener('resize', follow)
    return () => window.removeEventListener('resize', follow)
  }, [])
  return size
}
