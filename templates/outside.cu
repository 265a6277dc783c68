% -- Lanes that go along without a row of their own end here, once no shuffle names them any more.
% if reducer == "group" and lanes < 32 then
% if problem.in_place or scope == "tile" and problem.size_in == problem.size_out then
__syncwarp();   // they have read the last row: its own lanes may write to it
% end
if (!inside)
    ${scope == "tile" and "break" or "return"};
% end
