"""The live board of `guardctl watch`: what is known, how it is drawn, the terminal, and the loop around them."""
