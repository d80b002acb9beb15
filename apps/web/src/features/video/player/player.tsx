import { Button, Spin } from 'antd'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../../lib/api/api-error.ts'
import { errorFacts } from '../../../lib/errors.ts'
import css from '../video.module.css'
import { type AskStream, useStream } from './use-stream.ts'

/** A moving picture with its states; without a question it shows `idle`. */
export function Player({
  ask,
  live,
  label,
  idle,
  onCode,
  onTime,
  onEnded,
}: {
  ask: AskStream | null
  live: boolean
  label: string
  /** What stands in its place while nothing is played. */
  idle?: ReactNode
  /** Offered where the picture needs a verification code. */
  onCode?: (() => void) | undefined
  /** Seconds since the beginning of what is played. */
  onTime?: (seconds: number) => void
  onEnded?: () => void
}) {
  const { t } = useTranslation('video')
  const video = useRef<HTMLVideoElement>(null)
  const { state, retry } = useStream(video, ask, live)
  return (
    <div className={css.player} data-testid="player" data-state={ask === null ? 'idle' : state.kind}>
      <video
        ref={video}
        className={css.video}
        aria-label={label}
        muted
        playsInline
        controls={ask !== null && state.kind === 'playing'}
        onTimeUpdate={onTime && (event => onTime(event.currentTarget.currentTime))}
        onEnded={onEnded}
      />
      {ask === null ? (
        idle && <div className={css.over}>{idle}</div>
      ) : state.kind === 'asking' ? (
        <div className={css.over} role="status">
          <Spin />
          <span>{t('player.connecting')}</span>
        </div>
      ) : state.kind === 'failed' ? (
        <div className={css.over} role="alert">
          <span>{errorFacts(state.error).message}</span>
          {onCode && codeWanted(state.error) ? (
            <Button size="small" onClick={onCode}>
              {t('player.enterCode')}
            </Button>
          ) : (
            <Button size="small" onClick={retry}>
              {t('player.retry')}
            </Button>
          )}
        </div>
      ) : state.kind === 'fault' ? (
        <div className={css.over} role="alert">
          <span>{t(`player.${state.fault}`)}</span>
          <Button size="small" onClick={retry}>
            {t('player.retry')}
          </Button>
        </div>
      ) : null}
    </div>
  )
}

const codeWanted = (error: unknown) => error instanceof ApiError && error.code === 'video.code_needed'
