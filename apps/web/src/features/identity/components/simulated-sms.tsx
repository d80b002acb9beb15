import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatRelative } from '../../../lib/format.ts'
import { simulatedMessages } from '../api.ts'
import css from './sign-in.module.css'

const POLL_MS = 2500
/** Links of our own messages; what stands between them keeps its place when split. */
const LINK = /(https?:\/\/[^\s,]+)/

/** What the simulated carriers of a demo installation "sent": nothing really goes to a phone or a mailbox there. */
export function SimulatedSms() {
  const { t } = useTranslation('identity')
  const [messages, setMessages] = useState<Awaited<ReturnType<typeof simulatedMessages>>>([])
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout>
    const poll = async () => {
      try {
        setMessages(await simulatedMessages(stop.signal))
      } catch {
        // A real carrier is configured, or the server is away: then there is nothing to show.
      }
      if (!stop.signal.aborted) timer = setTimeout(poll, POLL_MS)
    }
    void poll()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [])
  return (
    <section className={css.sms} data-testid="simulated-sms" aria-live="polite">
      <h3>
        {t('sms.title')}
        <span>{t('sms.note')}</span>
      </h3>
      {messages.length === 0 ? (
        <p>{t('sms.empty')}</p>
      ) : (
        <ul>
          {messages.map(message => (
            <li key={`${message.at}${message.to}${message.text}`}>
              <small>
                <span>{message.to}</span>
                <span>{formatRelative(message.at)}</span>
              </small>
              {message.text.split(LINK).map((part, index) =>
                index % 2 === 1 ? (
                  <a key={part} href={part}>
                    {part}
                  </a>
                ) : (
                  part
                ),
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
