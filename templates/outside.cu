% -- Lanes that go along without a row of their own end here, once no shuffle names them any more.
% if reducer == "group" and lanes < 32 and scope ~= "tile" then
% if problem.in_place then
__syncwarp();   // they have read the last row: its own lanes may write to it
% end
if (!inside)
    return;
% end
