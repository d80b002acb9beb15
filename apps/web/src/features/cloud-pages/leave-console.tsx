import { useEffect } from 'react'
import { FrameSkeleton } from '../../ui/frame-skeleton.tsx'

/** Published pages are a program of their own: whoever gets to their address inside the console asks the server for it. */
export function LeaveConsole() {
  useEffect(() => {
    window.location.reload()
  }, [])
  return <FrameSkeleton />
}
