-- Creates a table for each limit: its seven numbers. Only what is rare needs them, since a table takes longer than a read
-- of all numbers from the arguments.
if not limits then
  limits = {}
  for i = 1, args[3] do limits[i] = {unpack(args, 7 * i - 3, 7 * i + 3)} end
end
