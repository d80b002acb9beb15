import { useCallback, useEffect, useState } from 'react'
import { fetchCaptcha } from '../api.ts'

export interface CaptchaState {
  image: { state: 'loading' } | { state: 'failed' } | { state: 'shown'; src: string }
  answer: string
  setAnswer: (answer: string) => void
  /** Another picture; each is good for one answer. */
  reload: () => void
  /** What goes along with the request; undefined while nothing is shown. */
  given: { captchaId: string; captcha: string } | undefined
}

/** A captcha, fetched as soon as it is wanted. */
export function useCaptcha(wanted: boolean): CaptchaState {
  const [round, setRound] = useState(0)
  const [answer, setAnswer] = useState('')
  const [shown, setShown] = useState<{ id: string; src: string } | 'failed' | null>(null)
  useEffect(() => {
    if (!wanted) return
    const stop = new AbortController()
    setShown(null)
    setAnswer('')
    fetchCaptcha(stop.signal).then(
      ({ captchaId, image }) =>
        setShown({ id: captchaId, src: `data:image/svg+xml;utf8,${encodeURIComponent(image)}` }),
      () => {
        if (!stop.signal.aborted) setShown('failed')
      },
    )
    return () => stop.abort()
  }, [wanted, round])
  const reload = useCallback(() => setRound(before => before + 1), [])
  return {
    image:
      shown === null
        ? { state: 'loading' }
        : shown === 'failed'
          ? { state: 'failed' }
          : { state: 'shown', src: shown.src },
    answer,
    setAnswer,
    reload,
    given: shown !== null && shown !== 'failed' ? { captchaId: shown.id, captcha: answer.trim() } : undefined,
  }
}
