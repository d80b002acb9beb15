import { ClearOutlined, CopyOutlined, DownloadOutlined, PauseOutlined, PlayCircleOutlined } from '@ant-design/icons'
import type { FrameView } from '@thingwright/contracts/diagnosis.contract'
import { Button, Segmented } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { notify } from '../../../lib/notify.ts'
import { copyText } from '../../../ui/copy.ts'
import { saveFile } from '../../../ui/list-page/csv.ts'
import { logLine, spaced, textOf } from './frame-list.ts'
import css from './frames.module.css'
import type { useFrames } from './use-frames.ts'

export type FrameMode = 'hex' | 'text'

/** Buttons over a list of frames: how to show them, pause, clear, save. */
export function FrameTools({
  of,
  mode,
  onMode,
  fileName,
}: {
  of: ReturnType<typeof useFrames>
  mode: FrameMode
  onMode: (mode: FrameMode) => void
  fileName: string
}) {
  const { t } = useTranslation('diagnose')
  return (
    <>
      <Segmented
        aria-label={t('frames.show')}
        value={mode}
        options={[
          { value: 'hex', label: 'HEX' },
          { value: 'text', label: t('frames.text') },
        ]}
        onChange={onMode}
      />
      <Button
        icon={of.paused ? <PlayCircleOutlined aria-hidden /> : <PauseOutlined aria-hidden />}
        aria-pressed={of.paused}
        onClick={of.pause}
      >
        {of.paused ? t('frames.resume') : t('frames.pause')}
      </Button>
      <Button
        icon={<ClearOutlined aria-hidden />}
        aria-label={t('frames.clear')}
        title={t('frames.clear')}
        onClick={of.clear}
      />
      <Button
        icon={<DownloadOutlined aria-hidden />}
        aria-label={t('frames.save')}
        title={t('frames.save')}
        disabled={of.frames.length === 0}
        onClick={() => saveFile(`${fileName}-frames.txt`, of.frames.map(logLine), 'text/plain')}
      />
    </>
  )
}

/** Frames one under the other like in a terminal, the newest at the foot, which is followed while it is in sight. */
export function FrameRows({
  frames,
  missed,
  mode,
  label,
}: {
  frames: readonly FrameView[]
  missed: number
  mode: FrameMode
  label: string
}) {
  const { t } = useTranslation('diagnose')
  const box = useRef<HTMLDivElement>(null)
  const [atFoot, setAtFoot] = useState(true)
  const last = frames.at(-1)?.id
  useEffect(() => {
    const element = box.current
    if (element && atFoot) element.scrollTop = element.scrollHeight
  }, [last, atFoot, mode])
  return (
    <div
      ref={box}
      className={css.frames}
      role="log"
      aria-label={label}
      data-testid="frames"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard
      tabIndex={0}
      onScroll={event => {
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget
        setAtFoot(scrollHeight - scrollTop - clientHeight < 24)
      }}
    >
      {frames.length === 0 ? (
        <p className={css.none}>
          <b>{t('frames.empty')}</b>
          <span>{t('frames.emptyText')}</span>
        </p>
      ) : (
        frames.map(frame => <FrameRow key={frame.id} frame={frame} mode={mode} />)
      )}
      {missed > 0 && <p className={css.missed}>{t('frames.missed', { count: missed })}</p>}
    </div>
  )
}

function FrameRow({ frame, mode }: { frame: FrameView; mode: FrameMode }) {
  const { t } = useTranslation('diagnose')
  const kept = frame.hex.length / 2
  const shown = mode === 'hex' ? spaced(frame.hex) : textOf(frame.hex)
  return (
    <div className={css.frame} data-direction={frame.direction}>
      <span className={css.way} title={t(`frames.${frame.direction}`)}>
        <span aria-hidden>{frame.direction === 'up' ? '↑' : '↓'}</span> {t(`frames.${frame.direction}`)}
      </span>
      <time className={css.time}>{formatDateTime(frame.at, { millis: true }).slice(-12)}</time>
      <span className={css.channel} title={frame.channel}>
        {frame.channel}
      </span>
      <span className={css.size}>{t('frames.bytes', { count: frame.size })}</span>
      <code className={css.bytes} dir="ltr">
        {shown}
        {kept < frame.size && <i> … {t('frames.cut', { count: kept })}</i>}
        {frame.note !== '' && <i className={css.noteTag}>{t(`frames.${frame.note}`, { defaultValue: frame.note })}</i>}
      </code>
      <Button
        size="small"
        type="text"
        className={css.copy}
        icon={<CopyOutlined aria-hidden />}
        aria-label={t('frames.copy')}
        onClick={() =>
          void copyText(mode === 'hex' ? frame.hex : shown).then(done => done && notify.success(t('frames.copied')))
        }
      />
    </div>
  )
}
