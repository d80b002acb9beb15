import { Component, type ReactNode } from 'react'

/** Shows `instead` when what stands inside cannot be drawn: a broken part must not take the page with it. */
export class Boundary extends Component<{ children: ReactNode; instead: ReactNode }, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true }
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.instead : this.props.children
  }
}
