import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { passToHosted } from './hosted.ts';
import './inspector.css';
import { InspectorPage } from './page.tsx';
import { INSPECTOR_CHANNEL } from './protocol.ts';
import { createStore } from './store.ts';

const element = document.getElementById('inspector');
if (element) {
  const store = createStore(new BroadcastChannel(INSPECTOR_CHANNEL));
  const openHosted = (onConnected: () => void) =>
    passToHosted(window, new BroadcastChannel(INSPECTOR_CHANNEL), onConnected);
  createRoot(element).render(
    <StrictMode>
      <InspectorPage store={store} openHosted={openHosted} />
    </StrictMode>,
  );
}
