import { type ReactNode, Suspense, useId } from 'react'
import { createPortal } from 'react-dom'
import css from './popup.module.css'
import { type Popup, type PopupAlign, usePopup } from './use-popup.ts'

/** The panel of a popup, at the end of the document. */
export function PopupPanel({
  popup,
  id,
  label,
  role,
  className,
  children,
}: {
  popup: Popup
  id: string
  label: string
  role: 'dialog' | 'menu'
  className?: string | undefined
  children: ReactNode
}) {
  return createPortal(
    // biome-ignore lint/a11y/noStaticElementInteractions: it has the role of a menu or a dialog
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both take a name
    <div
      ref={popup.panel}
      id={id}
      className={`${css.panel} ${className ?? ''}`}
      style={popup.style}
      role={role}
      aria-label={label}
      tabIndex={-1}
      data-popup=""
      // A row, card or tree under it does not take these keys and clicks for its own.
      onKeyDown={event => {
        event.stopPropagation()
        popup.onKeyDown(event)
      }}
      onClick={event => event.stopPropagation()}
      onPointerDown={event => event.stopPropagation()}
    >
      <Suspense>{children}</Suspense>
    </div>,
    document.body,
  )
}

/** A button with a panel under it. What the panel holds is drawn (and may be downloaded) when it is opened. */
export function PopupButton({
  label,
  className,
  align = 'start',
  content,
  children,
}: {
  label: string
  className?: string | undefined
  align?: PopupAlign
  content: (close: () => void) => ReactNode
  children: ReactNode
}) {
  const popup = usePopup(align)
  const id = useId()
  return (
    <>
      <button
        ref={popup.button}
        type="button"
        className={className}
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={popup.open}
        aria-controls={popup.open ? id : undefined}
        onClick={() => (popup.open ? popup.close() : popup.show())}
      >
        {children}
      </button>
      {popup.open && (
        <PopupPanel popup={popup} id={id} label={label} role="dialog">
          {content(popup.close)}
        </PopupPanel>
      )}
    </>
  )
}
