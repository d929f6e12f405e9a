import '@mantine/core/styles.css'
import './shell/shell.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { makeQueries } from './api/queries.ts'
import { App } from './app.tsx'
import { Confirmations } from './parts/confirm.tsx'
import { NoticeList } from './parts/notice-list.tsx'
import { guardTraversal } from './parts/unsaved.tsx'
import { NumberFields } from './shell/number-fields.tsx'
import { refuseStrayFiles } from './shell/stray-files.ts'
import { theme } from './shell/theme.ts'
import { TextScope } from './texts/texts.tsx'

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''
// what locks the scrolling behind a dialog adds its style by this name
Object.assign(globalThis, { __webpack_nonce__: nonce })
guardTraversal()
refuseStrayFiles()

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={makeQueries()}>
        <TextScope>
          <NumberFields>
            <NoticeList>
              <Confirmations>
                <App />
              </Confirmations>
            </NoticeList>
          </NumberFields>
        </TextScope>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
