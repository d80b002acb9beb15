import { type ReactNode, useEffect, useRef } from 'react'
import css from './notices.module.css'

/**
 * Strips above the page: they push it down and, by `--tw-banners`, take exactly their height from what fills the window,
 * whatever they say and however often that is wrapped.
 */
export function Banners({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const root = document.documentElement
    const watch = new ResizeObserver(() => root.style.setProperty('--tw-banners', `${element.offsetHeight}px`))
    watch.observe(element)
    return () => {
      watch.disconnect()
      root.style.removeProperty('--tw-banners')
    }
  }, [])
  return (
    <div ref={box} className={css.banners} data-testid="banners">
      {children}
    </div>
  )
}
