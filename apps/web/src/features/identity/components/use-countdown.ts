import { useEffect, useState } from 'react'
import { serverNow } from '../../../lib/server-clock.ts'

/** Seconds that are left, counted down to 0 by the clock (a sleeping tab wakes up right). */
export function useCountdown(): { left: number; start: (seconds: number) => void } {
  const [until, setUntil] = useState(0)
  const [now, setNow] = useState(() => serverNow())
  const left = Math.max(0, Math.ceil((until - now) / 1000))
  const running = left > 0
  useEffect(() => {
    if (!running) return
    const timer = setInterval(() => setNow(serverNow()), 500)
    return () => clearInterval(timer)
  }, [running])
  return {
    left,
    start(seconds) {
      const at = serverNow()
      setNow(at)
      setUntil(at + seconds * 1000)
    },
  }
}

/** `14:59`. */
export function minutesAndSeconds(seconds: number): string {
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`
}
