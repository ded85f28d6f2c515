"""The parts that every attack uses: servers, requests, the watch over their health, and the list of tests."""
