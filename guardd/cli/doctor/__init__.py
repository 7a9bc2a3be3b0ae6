"""What `guardctl doctor` looks at: facts are gathered once, and each check makes a finding of them."""
