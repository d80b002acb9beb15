import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../../lib/format.ts'
import { CopyButton } from '../../../ui/copy-id.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import css from '../developer.module.css'
import own from './clients.module.css'
import { MOST_LINES, matching } from './log-lines.ts'
import type { useLog } from './use-log.ts'

const SIGN = { in: '↓', out: '↑', note: '·', error: '!' } as const

/** What a client sent, received and met; stays at its end unless somebody scrolled up. */
export function MessageLog({ log, testid }: { log: ReturnType<typeof useLog>; testid: string }) {
  const { t } = useTranslation('developer')
  const [text, setText] = useState('')
  const frame = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const shown = matching(log.lines, text)
  useEffect(() => {
    if (frame.current && atEnd.current) frame.current.scrollTop = frame.current.scrollHeight
  }, [shown])
  return (
    <div className={css.messages}>
      <div className={css.bar}>
        <SearchField className={css.search} value={text} onChange={setText} label={t('clients.find')} />
        <span className={css.quiet} aria-live="off">
          {t('clients.lines', { count: shown.length, most: MOST_LINES })}
        </span>
        <span className={own.space} />
        <Button size="small" aria-pressed={log.paused} onClick={() => log.setPaused(!log.paused)}>
          {t(log.paused ? 'clients.goOn' : 'clients.pause')}
        </Button>
        <Button size="small" disabled={log.lines.length === 0} onClick={log.clear}>
          {t('clients.clear')}
        </Button>
      </div>
      <div
        ref={frame}
        className={own.lines}
        role="log"
        aria-label={t('clients.log')}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long log is scrolled by keyboard too
        tabIndex={0}
        data-testid={testid}
        onScroll={event => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget
          atEnd.current = scrollHeight - scrollTop - clientHeight < 40
        }}
      >
        {shown.length === 0 ? (
          <p className={own.nothing}>{t(text === '' ? 'clients.nothing' : 'clients.noMatch')}</p>
        ) : (
          shown.map(line => (
            <article key={line.id} className={own.line} data-kind={line.kind}>
              <header>
                <span aria-hidden="true">{SIGN[line.kind]}</span>
                <b title={t(`clients.kind.${line.kind}`)}>{line.title}</b>
                {line.detail && <small>{line.detail}</small>}
                <time>{formatDateTime(line.at, { millis: true }).slice(-12)}</time>
                {line.body !== '' && <CopyButton value={line.body} />}
              </header>
              {line.body !== '' && <pre dir="ltr">{line.body}</pre>}
            </article>
          ))
        )}
      </div>
    </div>
  )
}
